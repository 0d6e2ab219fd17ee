"""What a Dockerfile may say, and the shell script that it becomes."""

import subprocess
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from portal.common.errors import InvalidError
from portal.images.build_scripts import plan_requirements, write_script
from portal.images.dockerfiles import (
    STEPS_MAX,
    Ignored,
    Run,
    RunFile,
    Step,
    Variable,
    WorkingDir,
    parse_dockerfile,
)
from wire.images import ENV_LINES_MAX


def refused(text: str) -> tuple[str, Any]:
    with pytest.raises(InvalidError) as caught:
        parse_dockerfile(text)
    return caught.value.code, caught.value.params.get("line")


def arg(name: str, value: str) -> Variable:
    return Variable(name, value, is_kept=False)


def env(name: str, value: str) -> Variable:
    return Variable(name, value, is_kept=True)


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
        ("ARG TAG=1", "build_from_first", 1),
        ("ARG TAG=1\nFROM base:$TAG", "build_foreign_base", 2),
        ("FROM docker.io/library/python:3.12", "build_foreign_base", 1),
        ("FROM python:3.12", "build_foreign_base", 1),
        ("FROM ghcr.io/x@sha256:1", "build_foreign_base", 1),
        ("FROM --platform=linux/arm64 base", "build_flag_refused", 1),
        ("FROM a AS b\nRUN true\nFROM b", "build_one_from", 3),
        ("FROM a\nADD http://169.254.169.254/ /x", "build_without_files", 2),
        ("FROM a\nCOPY --from=other / /x", "build_without_files", 2),
        ("FROM a\nRUN --mount=type=secret,id=x cat /run/secrets/x", "build_flag_refused", 2),
        ("FROM a\nRUN --security=insecure id", "build_flag_refused", 2),
        ("FROM a\nONBUILD RUN true", "build_unknown_instruction", 2),
        ("FROM a\nVOLUME /data", "build_unknown_instruction", 2),
        ("FROM a\nRUN", "build_bad_instruction", 2),
        ("FROM a\nRUN []", "build_bad_instruction", 2),
        ("FROM a\nENV A=${B:-c}", "build_unknown_variable", 2),
        ("FROM a\nENV B=$X\nENV A=${B:+c}", "build_unknown_variable", 3),
        ("FROM a\nARG B=\nENV A=${B:?}", "build_unset_variable", 3),
        ("FROM a\nENV A=${B%.gz}", "build_bad_reference", 2),
        ("FROM a\nENV A=${B:=1}", "build_bad_reference", 2),
        ("FROM a\nENV A=${}", "build_bad_reference", 2),
        ("FROM a\nENV A=${B", "build_bad_reference", 2),
        ("FROM a\nENV A=1 B=$A", "build_same_line", 2),
        ("FROM a\nENV ONLY_A_NAME", "build_bad_instruction", 2),
        ("FROM a\nENV --x=1 A=1", "build_flag_refused", 2),
        ("FROM a\nARG TARGETARCH", "build_platform_argument", 2),
        ("FROM a\nRUN cat <<END\nend\n END", "build_open_document", 2),
        ("FROM a\nCOPY <<END /x\nRUN a\nEND\nRUN b", "build_without_files", 2),
        ("FROM a\nONBUILD RUN <<END\nx\nEND", "build_unknown_instruction", 2),
        ("FROM a\nRUN true\n\\", "build_unknown_instruction", 3),
        ("FROM a\nHEALTHCHECK CMD true", "build_unknown_instruction", 2),
        ("# escape=^\nFROM a", "build_bad_directive", 1),
        (
            "# syntax=docker/dockerfile:1\n# syntax=docker/dockerfile:1\nFROM a",
            "build_bad_directive",
            2,
        ),
        ("#syntax = other/language\nFROM a", "build_bad_directive", 1),
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


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        # Lines
        (
            "RUN apt-get update && \\\n\n\n   apt-get upgrade",
            (Run("apt-get update &&    apt-get upgrade"),),
        ),
        ("RUN one \\\n# not continued \\\n  two", (Run("one   two"),)),
        ("# a comment \\\nRUN one", (Run("one"),)),
        ("RUN one \\ \t\n two", (Run("one  two"),)),
        ("RUN one \\\\\nRUN two", (Run("one \\\\"), Run("two"))),
        ("RUN one \\", (Run("one"),)),
        ("run\tone\r\nRun two\r\n", (Run("one"), Run("two"))),
        ("  RUN one\n\t\n", (Run("one"),)),
        ("RUN one\u2028two\x0bthree", (Run("one\u2028two\x0bthree"),)),
        ("RUN -- one", (Run("one"),)),
        ("RUN " + "x" * 30_000, (Run("x" * 30_000),)),
        # Commands
        ('RUN ["a", "b c"]', (Run(("a", "b c")),)),
        ("RUN ['a']", (Run("['a']"),)),
        ("RUN [ -f x ] && y", (Run("[ -f x ] && y"),)),
        # Values
        ("ARG A=1 B=\"$A 2\" C='$A'", (arg("A", "1"), arg("B", "1 2"), arg("C", "$$A"))),
        ("ARG A", (Ignored("ARG A"),)),
        ("ARG A=1\nARG A B", (arg("A", "1"), Ignored("ARG A"), Ignored("ARG B"))),
        ('ARG A="x\\ty" B=x\\ty C="\\"\\$"', (arg("A", "x\\ty"), arg("B", "xty"), arg("C", '"$$'))),
        (
            "ARG A=$$ B=a$1b C=5$ D=${@}",
            (arg("A", ""), arg("B", "ab"), arg("C", "5$$"), arg("D", "")),
        ),
        ("ENV A\t b  'c'  d ", (env("A", "b  c  d"),)),
        ("ENV A=\\\n1 B=", (env("A", "1"), env("B", ""))),
        ("WORKDIR /a b", (WorkingDir("/a b"),)),
        ("ARG A=1\nENV B=${A:+x}${A:-y}${A-z}${A?}", (arg("A", "1"), env("B", "x111"))),
        ("ARG A=\nENV B=${A:+x}${A:-y}${A-z}${A+w}", (arg("A", ""), env("B", "yw"))),
        ("ENV A=1\nENV B=${A:-y}", (env("A", "1"), env("B", "${A}"))),
        ("ENV A=${PATH:-}", (env("A", "${PATH}"),)),
        ("ARG A=\nENV B=${A:-${A:-'y }'}}", (arg("A", ""), env("B", "y }"))),
        # Here-documents
        (
            "RUN <<END\nset -e\n# kept\n\n  pip \\\nEND\nRUN b",
            (Run("set -e\n# kept\n\n  pip \\\n"), Run("b")),
        ),
        ("RUN <<-END\n\ta\n\t\tb\n\tEND", (Run("a\nb\n"),)),
        ("RUN <<'END'\n$A\nEND", (Run("$A\n"),)),
        (
            "RUN <<END\n#!/usr/bin/python3\nprint(1)\nEND",
            (RunFile("#!/usr/bin/python3\nprint(1)\n"),),
        ),
        ("RUN python3 <<END\nprint(1)\nEND", (Run("python3 <<END\nprint(1)\nEND"),)),
        ("RUN <<END python3\nprint(1)\nEND", (Run("<<END python3\nprint(1)\nEND"),)),
        ('RUN cat <<A - 3<<"B"\na\nA\nb\nB', (Run('cat <<A - 3<<"B"\na\nA\nb\nB'),)),
        ("RUN [ -f x ] || cat <<END\na\nEND", (Run("[ -f x ] || cat <<END\na\nEND"),)),
        (
            "RUN cat <<< word && echo '<<END' \"a << b\"",
            (Run("cat <<< word && echo '<<END' \"a << b\""),),
        ),
        (
            "RUN true && \\\n  cat << END\nx\nEND\nRUN b",
            (Run("true &&   cat << END\nx\nEND"), Run("b")),
        ),
        ("RUN <<END\r\na\r\nEND\r\n", (Run("a\n"),)),
        ("CMD <<END\nRUN a", (Ignored("CMD <<END"), Run("a"))),
    ],
)
def test_lines_mean_what_they_mean_to_docker(text: str, steps: tuple[Step, ...]) -> None:
    assert parse_dockerfile(f"FROM base\n{text}").steps == steps


@pytest.mark.parametrize(
    ("text", "base", "steps"),
    [
        ("\ufefffrom base as x\nrun a", "base", (Run("a"),)),
        (
            "# syntax=docker/dockerfile:1.7\n#escape=`\nFROM base\nRUN a `\n b\\",
            "base",
            (Run("a  b\\"),),
        ),
        ("# note\n# escape=`\nFROM base\nRUN a \\\nb", "base", (Run("a b"),)),
        ("\n# escape=`\nFROM base\nRUN a \\\nb", "base", (Run("a b"),)),
        ('# Escape = `\nFROM base\nENV A=C:`"x\\y', "base", (env("A", 'C:"x\\y'),)),
        ("# check=skip=all\nFROM base\nRUN a", "base", (Run("a"),)),
        ("ARG V=3\nARG NAME=py$V\nFROM $NAME\nENV A=x$V\nARG V\nENV B=$V", "py3", ()),
        ("ARG WHO\nFROM ${WHO:-li}/tools\nRUN a", "li/tools", (Run("a"),)),
    ],
)
def test_what_stands_before_the_image(text: str, base: str, steps: tuple[Step, ...]) -> None:
    found = parse_dockerfile(text)
    assert found.base == base
    assert not steps or found.steps == steps


def test_an_argument_before_from_counts_again_where_it_is_named() -> None:
    found = parse_dockerfile("ARG V=3\nFROM a\nENV A=x$V\nARG V\nENV B=x$V")
    assert found.env == ("A=x${V}", "B=x3")


PIECES = (
    *(
        "FROM a\n",
        "RUN ",
        "run\t",
        "ENV ",
        "ARG ",
        "WORKDIR ",
        "COPY ",
        "CMD ",
        "A=1",
        "B",
        " ",
        "\t",
    ),
    *(
        "\n",
        "\r\n",
        "\\",
        "\\\n",
        "`",
        "# c\n",
        "# escape=`\n",
        "# syntax=x\n",
        "<<E",
        "<<-'E'",
        "E\n",
    ),
    *(
        "'",
        '"',
        "$",
        "$A",
        "${A:-",
        "${",
        "}",
        "[",
        '["a"]',
        "--x",
        "\ufeff",
        "\u2028",
        "\x00",
        "汉",
    ),
)


def line_of_refusal(text: str) -> int:
    """Return the line that a Dockerfile is refused at, 0 if it is read."""
    try:
        parse_dockerfile(text)
    except InvalidError as refusal:
        return int(str(refusal.params["line"]))
    return 0


@given(st.lists(st.sampled_from(PIECES), max_size=30))
def test_whatever_is_written_is_read_or_refused_at_a_line_of_it(pieces: list[str]) -> None:
    text = "".join(pieces)
    assert 0 <= line_of_refusal(text) <= text.count("\n") + 1


@given(st.lists(st.sampled_from(("one", "two \\", "", "# c \\", "\t", "three \\\\")), max_size=12))
def test_nothing_of_continued_lines_is_dropped(lines: list[str]) -> None:
    text = "\n".join(f"RUN {line}" if line[:1].isalpha() else line for line in lines)
    said = [
        step.command for step in parse_dockerfile(f"FROM a\n{text}").steps if isinstance(step, Run)
    ]
    assert sum(str(each).count("one") for each in said) == lines.count("one")
    assert sum(str(each).count("two") for each in said) == lines.count("two \\")


def test_references_in_references_are_bounded() -> None:
    text = "FROM a\nARG A=\nENV B=" + "${A:-" * 6_000 + "}" * 6_000
    assert refused(text) == ("build_bad_reference", 3)


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


def test_here_documents_run_as_docker_runs_them(tmp_path: Path) -> None:
    text = f"""FROM a
ENV WHO=li
RUN <<"END"
printf '%s\\n' "it's $WHO"
END
RUN <<-END
	#!/bin/cat
	read by cat, $WHO
	END
RUN cat <<A - <<-'B' > {tmp_path}/both
one $WHO
A
	two $WHO
	B
RUN cat {tmp_path}/both
RUN <<END
#!/bin/sh
exit 3
END
"""
    done = run(text, tmp_path)
    assert "it's li\n" in done.stdout
    assert "#!/bin/cat\nread by cat, $WHO\n" in done.stdout
    assert "two $WHO\n" in done.stdout
    assert done.stdout.splitlines()[-1].startswith("This step failed with exit code 3.")
    assert not list(tmp_path.glob("tmp.*"))


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
