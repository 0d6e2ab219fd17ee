"""The script of a web app, run by a real shell."""

import os
import pwd
import subprocess
from pathlib import Path

import pytest

from portal.apps.commands import PROGRAM_MISSING, render_script
from portal.apps.presets import (
    AIM,
    APP_PRESETS,
    MLFLOW,
    OPTUNA_DASHBOARD,
    RSERVER,
    AppPreset,
)


def run(script: str, folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["/bin/sh", "-c", script],
        env={"PATH": f"{folder}:{os.defpath}", **variables},
        capture_output=True,
        text=True,
        check=False,
    )


def a_program(folder: Path, name: str = "show") -> str:
    """Write a program that prints its arguments, one a line."""
    program = folder / name
    program.write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n')
    program.chmod(0o755)
    return program.name


def test_placeholders_are_filled_and_everything_else_stays_as_it_is(tmp_path: Path) -> None:
    command = [
        a_program(tmp_path),
        "--logdir={folder}/x y",
        "--port={port}",
        "--prefix={base_path}",
        "$HOME; rm '{x}'",
        "",
    ]
    script = render_script(
        command, folder='"$DIR/shown"/runs', port=30_001, base_path='"/e/$ID/port/30001"'
    )

    done = run(script, tmp_path, DIR="/in puts", ID="w1")

    assert done.stdout.splitlines() == [
        "--logdir=/in puts/shown/runs/x y",
        "--port=30001",
        "--prefix=/e/w1/port/30001",
        "$HOME; rm '{x}'",
        "",
    ]


def test_image_without_the_program_says_so_and_ends_as_shells_do(tmp_path: Path) -> None:
    script = render_script(["no-such", "{port}"], folder="x", port=1, base_path="y")

    done = run(script, tmp_path)

    assert done.returncode == PROGRAM_MISSING
    assert "this image has no no-such" in done.stderr


@pytest.mark.parametrize("preset", APP_PRESETS, ids=lambda preset: preset.name)
def test_a_preset_shows_its_folder_at_its_port_to_the_gateway_only(
    preset: AppPreset, tmp_path: Path
) -> None:
    shown = tmp_path / "in puts" / "shown"
    (shown / ".aim").mkdir(parents=True)
    (shown / "study.journal").touch()
    program = tmp_path / preset.name
    program.write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n')
    program.chmod(0o755)
    script = render_script(preset.command, folder='"$DIR/shown"', port=30_001, base_path='""')

    told = run(script, tmp_path, DIR=str(shown.parent), TMPDIR=str(tmp_path)).stdout

    is_named = str(shown) in told or "--repo=" in told or "--rsession-config-file=" in told
    assert is_named, "Aim gets a copy, and RStudio a file"
    lines = set(told.replace("--www-", "--").replace("--address", "--host").splitlines())
    assert lines >= {"--port=30001", "--host=127.0.0.1"} or "--bind-addr=127.0.0.1:30001" in lines
    assert "{" not in told


@pytest.mark.parametrize("preset", APP_PRESETS, ids=lambda preset: preset.name)
def test_a_preset_whose_program_the_image_lacks_ends_as_shells_do(
    preset: AppPreset, tmp_path: Path
) -> None:
    (tmp_path / ".aim").mkdir()
    (tmp_path / "study.journal").touch()
    script = render_script(preset.command, folder='"$DIR"', port=1, base_path="y")
    done = run(script, tmp_path, DIR=str(tmp_path), TMPDIR=str(tmp_path))
    assert done.returncode == PROGRAM_MISSING


@pytest.mark.parametrize("runs", ["", "/mlruns"])
def test_mlflow_shows_where_jobs_log_and_otherwise_the_folder(tmp_path: Path, runs: str) -> None:
    shown = tmp_path / "in puts"
    (tmp_path / f"in puts{runs}").mkdir(parents=True)
    program = tmp_path / "mlflow"
    program.write_text('#!/bin/sh\nprintf "%s\\n" "$MLFLOW_ALLOW_FILE_STORE" "$@"\n')
    program.chmod(0o755)
    script = render_script(MLFLOW.command, folder='"$DIR"', port=30_001, base_path='""')

    told = run(script, tmp_path, DIR=str(shown)).stdout.splitlines()

    assert told[:2] == ["true", "server"]
    assert f"--backend-store-uri=file:{shown}{runs}" in told
    assert "--allowed-hosts=*" in told


def test_aim_gets_a_copy_that_it_may_write_and_the_folder_stays_as_it_is(tmp_path: Path) -> None:
    shown = tmp_path / "shown"
    (shown / ".aim").mkdir(parents=True)
    (shown / ".aim" / "VERSION").write_text("3.29")
    program = tmp_path / "aim"
    program.write_text(
        '#!/bin/sh\nd="${2#--repo=}"; cat "$d/.aim/VERSION"; rm -r "$d"; echo " $5"\n'
    )
    program.chmod(0o755)
    script = render_script(
        AIM.command, folder='"$DIR"', port=30_001, base_path='"/e/$ID/port/30001"'
    )

    done = run(script, tmp_path, DIR=str(shown), ID="w1", TMPDIR=str(tmp_path))

    assert done.stdout == "3.29 --base-path=/e/w1/port/30001\n", done.stderr
    assert (shown / ".aim" / "VERSION").exists()


def optuna_on(folder: Path) -> subprocess.CompletedProcess[str]:
    """Run the preset on a folder, with a program that prints what it is told."""
    a_program(folder.parent, "optuna-dashboard")
    script = render_script(OPTUNA_DASHBOARD.command, folder='"$DIR"', port=30_001, base_path="")
    return run(script, folder.parent, DIR=str(folder), TMPDIR=str(folder.parent))


@pytest.fixture
def searches(tmp_path: Path) -> Path:
    folder = tmp_path / "my sweeps"
    folder.mkdir()
    (folder / "train.log").write_text("no storage")
    return folder


def test_optuna_shows_the_newest_journal_where_it_is(searches: Path) -> None:
    for age, name in enumerate(("optuna-b.log", "new one.journal", "old.journal")):
        (searches / name).write_text("{}")
        os.utime(searches / name, (1_000 - age, 1_000 - age))
    os.utime(searches / "new one.journal", (2_000, 2_000))
    told = optuna_on(searches).stdout.splitlines()
    assert told == [str(searches / "new one.journal"), "--host=127.0.0.1", "--port=30001"]


@pytest.mark.parametrize("name", ["study.db", "study.sqlite3"])
def test_optuna_shows_a_copy_of_a_database(searches: Path, name: str) -> None:
    (searches / name).write_text("tables")
    (searches / f"{name}-journal").write_text("of a write under way")
    url, *_ = optuna_on(searches).stdout.splitlines()
    copy = Path(url.removeprefix("sqlite:///"))
    assert (copy.name, copy.read_text(), copy.parent.parent) == (name, "tables", searches.parent)
    assert copy.with_name(f"{name}-journal").exists()


def test_optuna_says_when_a_folder_has_no_storage(searches: Path) -> None:
    done = optuna_on(searches)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("berth: no storage of Optuna in this folder: *.journal,")


def test_rstudio_keeps_what_it_needs_for_itself_and_begins_in_the_folder(tmp_path: Path) -> None:
    program = tmp_path / "rserver"
    program.write_text(
        """#!/bin/sh
echo "USER=$USER"
for option; do
  echo "$option"
  case $option in *-config-file=*) cat "${option#*=}";; esac
done
"""
    )
    program.chmod(0o755)
    script = render_script(
        RSERVER.command, folder='"$HOME"/lab', port=30_001, base_path='"/e/$ID/port/30001"'
    )

    done = run(script, tmp_path, HOME="/home/ann lee", ID="w1", TMPDIR=str(tmp_path))

    told = done.stdout.splitlines()
    user = pwd.getpwuid(os.getuid()).pw_name
    assert {f"USER={user}", f"--server-user={user}", "provider=sqlite"} <= set(told), done.stderr
    assert "session-default-working-dir=/home/ann lee/lab" in told
    assert "--www-root-path=/e/w1/port/30001" in told
    own = {
        line.partition("=")[2] for line in told if line.startswith(("--server-data", "directory"))
    }
    assert len(own) == 1
    assert f"--secure-cookie-key-file={own.pop()}/key" in told
