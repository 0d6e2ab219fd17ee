"""What a Dockerfile may say, and the shell script that it becomes."""

import subprocess
from pathlib import Path
from typing import Any

import pytest

from portal.common.errors import InvalidError
from portal.environments.images.build_scripts import plan_requirements, write_script
from portal.environments.images.dockerfiles import STEPS_MAX, Run, WorkingDir, parse_dockerfile
from wire.images import ENV_LINES_MAX


def refused(text: str) -> tuple[str, Any]:
    with pytest.raises(InvalidError) as caught:
        parse_dockerfile(text)
    return caught.value.code, caught.value.params.get("line")


def test_instructions_are_read_over_comments_and_continued_lines() -> None:
    found = parse_dockerfile(
        "# note\n\nfrom python\nRUN echo a \\\n  # between\n  && echo b\nWORKDIR /x\n"
    )
    assert found.base == "python"
    assert found.steps == (Run("echo a   && echo b"), WorkingDir("/x"))


@pytest.mark.parametrize(
    ("line", "env"),
    [
        ("ENV A=1 B='two words' C=three\\ words", ("A=1", "B=two words", "C=three words")),
        ("ENV OLD style of it", ("OLD=style of it",)),
        ('ENV A="$PATH:${HOME}/bin"', ("A=${PATH}:${HOME}/bin",)),
        ("ENV A='$PATH' B=\\$5 C=5$", ("A=$$PATH", "B=$$5", "C=5$$")),
        ("ARG V=2\nENV A=v$V.0", ("A=v2.0",)),
        ("ARG V=2\nENV V=3 W=$V", ("V=3", "W=2")),
        ("ARG V=2\nENV V=3\nENV W=$V", ("V=3", "W=${V}")),
    ],
)
def test_values_keep_what_only_the_image_knows(line: str, env: tuple[str, ...]) -> None:
    assert parse_dockerfile(f"FROM base\n{line}").env == env


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        ("", "build_from_first", None),
        ("# only a comment", "build_from_first", None),
        ("RUN true", "build_from_first", 1),
        ("ARG TAG=1\nFROM base", "build_from_first", 1),
        ("FROM docker.io/library/python:3.12", "build_foreign_base", 1),
        ("FROM python:3.12", "build_foreign_base", 1),
        ("FROM ghcr.io/x@sha256:1", "build_foreign_base", 1),
        ("FROM --platform=linux/arm64 base", "build_bad_instruction", 1),
        ("FROM a AS b\nRUN true\nFROM b", "build_one_from", 3),
        ("FROM a\nADD http://169.254.169.254/ /x", "build_without_files", 2),
        ("FROM a\nCOPY --from=other / /x", "build_without_files", 2),
        ("FROM a\nRUN --mount=type=secret,id=x cat /run/secrets/x", "build_flag_refused", 2),
        ("FROM a\nRUN --security=insecure id", "build_flag_refused", 2),
        ("FROM a\nONBUILD RUN true", "build_unknown_instruction", 2),
        ("FROM a\nVOLUME /data", "build_unknown_instruction", 2),
        ("FROM a\nRUN", "build_bad_instruction", 2),
        ("FROM a\nRUN []", "build_bad_instruction", 2),
        ("FROM a\nENV A=${B:-c}", "build_bad_reference", 2),
        ("FROM a\nENV A=1 B=$A", "build_bad_reference", 2),
        ("FROM a\nENV A='b", "build_open_quote", 2),
        ("FROM a\nENV BERTH_BUILD_VERDICT_FILE=/tmp/x", "build_bad_name", 2),
        ("FROM a\nENV A=1 B", "build_bad_instruction", 2),
        ("FROM a\nENV 1A=b", "build_bad_name", 2),
        ("FROM a\nENV A;id=b", "build_bad_name", 2),
        ("FROM a\n" + "RUN true\n" * (STEPS_MAX + 1), "build_too_many_steps", STEPS_MAX + 2),
        (
            "FROM a\nENV " + " ".join(f"A{n}=1" for n in range(ENV_LINES_MAX + 1)),
            "build_too_many_variables",
            2,
        ),
    ],
)
def test_what_is_refused_names_its_line(text: str, code: str, line: int | None) -> None:
    found, at = refused(text)
    assert found == code
    assert line is None or at == line


def test_arguments_that_double_each_other_are_bounded() -> None:
    lines = ["FROM a", "ARG A0=xxxxxxxx", *(f"ARG A{n + 1}=$A{n}$A{n}" for n in range(60))]
    assert refused("\n".join(lines))[0] == "build_value_too_long"


# --- The script ----------------------------------------------------------------------------------


def run(text: str, tmp_path: Path, *, verdict: str = "saved") -> subprocess.CompletedProcess[str]:
    """Run the script of a Dockerfile as a node does that has a verdict at once."""
    (tmp_path / "verdict").write_text(f"{verdict}\n")
    env = {
        "PATH": "/usr/bin:/bin",
        "BERTH_BUILD_DONE_FILE": str(tmp_path / "done"),
        "BERTH_BUILD_VERDICT_FILE": str(tmp_path / "verdict"),
    }
    script = write_script(parse_dockerfile(text), "li/x'y")
    return subprocess.run(
        ["sh", "-c", script], env=env, check=False, capture_output=True, text=True, timeout=20
    )


def test_nothing_but_names_of_variables_is_expanded(tmp_path: Path) -> None:
    text = f"""FROM a
ENV A="`touch {tmp_path}/one` $(touch {tmp_path}/two)" B='$PATH'
ENV C="it's $A"
RUN printf '%s|' "$A" "$B" "$C"
LABEL x='$(touch {tmp_path}/three)'
"""
    done = run(text, tmp_path)
    assert done.returncode == 0, done.stdout
    value = f"`touch {tmp_path}/one` $(touch {tmp_path}/two)"
    assert f"{value}|$PATH|it's {value}|" in done.stdout
    assert sorted(path.name for path in tmp_path.iterdir()) == ["done", "verdict"]


def test_a_verdict_is_the_end_of_the_job(tmp_path: Path) -> None:
    done = run("FROM a\nENV PATH=/nowhere", tmp_path, verdict="image_too_large")
    last = done.stdout.splitlines()[-1]
    assert (done.returncode, last) == (1, "The image was not saved: image_too_large")
    done = run("FROM a\nENV PATH=/nowhere", tmp_path)
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "The image is saved: li/x'y")


def test_on_a_node_that_cannot_build_nothing_is_run() -> None:
    script = write_script(plan_requirements("a", "numpy", ["gcc"]), "li/x")
    done = subprocess.run(["sh", "-c", script], check=False, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (1, "")
    assert "No image can be built here" in done.stderr


def test_packages_come_before_requirements() -> None:
    script = write_script(plan_requirements("a", "numpy\n", ["gcc", "git=1:2.39"]), "li/x")
    assert script.index("apt-get install") < script.index("pip install")
    assert "gcc git=1:2.39" in script
