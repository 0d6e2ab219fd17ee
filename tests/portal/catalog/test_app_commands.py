"""The script of a web app, run by a real shell."""

import os
import subprocess
from pathlib import Path

import pytest

from portal.catalog.app_commands import PROGRAM_MISSING, render_script
from portal.catalog.app_presets import AIM, APP_PRESETS, MLFLOW, AppPreset


def run(script: str, folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["/bin/sh", "-c", script],
        env={"PATH": f"{folder}:{os.defpath}", **variables},
        capture_output=True,
        text=True,
        check=False,
    )


def a_program(folder: Path) -> str:
    """Write a program that prints its arguments, one a line."""
    program = folder / "show"
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
    program = tmp_path / preset.name
    program.write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n')
    program.chmod(0o755)
    script = render_script(preset.command, folder='"$DIR/shown"', port=30_001, base_path='""')

    told = run(script, tmp_path, DIR=str(shown.parent), TMPDIR=str(tmp_path)).stdout

    assert str(shown) in told or "--repo=" in told, "Aim gets a copy"
    lines = set(told.splitlines())
    assert lines >= {"--port=30001", "--host=127.0.0.1"} or "--bind-addr=127.0.0.1:30001" in lines
    assert "{" not in told


@pytest.mark.parametrize("preset", APP_PRESETS, ids=lambda preset: preset.name)
def test_a_preset_whose_program_the_image_lacks_ends_as_shells_do(
    preset: AppPreset, tmp_path: Path
) -> None:
    (tmp_path / ".aim").mkdir()
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
