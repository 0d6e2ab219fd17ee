"""The script of a web app, run by a real shell."""

import os
import subprocess
from pathlib import Path

from portal.catalog.app_commands import PROGRAM_MISSING, render_script


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
