"""The hook that reads commit messages."""

import os
import subprocess
from typing import Final

import pytest

from tests.architecture.commit_subject import faults_of
from tests.architecture.sources import ROOT

SINCE: Final = "2026-11-29T11:45:00+00:00"
"""Subjects of commits that were written earlier are not read."""
GOOD = "Name the mutants that survive"


@pytest.mark.parametrize(
    "message",
    [
        GOOD,
        f"{GOOD}\n\nWhy it is done.",
        f"# a comment of Git\n{GOOD}\n# more of it",
        "S" * 70,
        "Merge branch 'rules' into main, which may be as long as its branches' names are together",
        "fixup! name the mutants.",
    ],
)
def test_good_messages_pass(message: str) -> None:
    assert faults_of(message) == []


@pytest.mark.parametrize(
    ("message", "fault"),
    [
        ("", "empty"),
        ("S" * 71, "71 characters"),
        (f"{GOOD}.", "period"),
        ("name the mutants", "capital"),
        ("Named the mutants", "command"),
        ("Naming the mutants", "command"),
        ("Names the mutants", "command"),
        ("WIP mutants", "command"),
        (f"{GOOD}\nand why", "second line"),
    ],
)
def test_others_are_told_what_is_wrong(message: str, fault: str) -> None:
    (found,) = faults_of(message)

    assert fault in found


def test_subjects_of_new_commits_are_good() -> None:
    """A checkout without its history, such as an archive, has none."""
    found = [
        f"{number}: {fault}"
        for written, number, subject in _commits()
        if written >= SINCE
        for fault in faults_of(subject)
    ]

    assert found == []


def _commits() -> list[list[str]]:
    """Return when each commit was written, by the clock of Greenwich, its number and its subject."""
    command = ("git", "log", "--no-merges", f"--since={SINCE}", "--date=iso-strict-local")
    answer = subprocess.run(
        [*command, "--format=%ad%x09%h%x09%s"],
        cwd=ROOT,
        env={**os.environ, "TZ": "UTC"},
        capture_output=True,
        text=True,
        check=False,
    )
    return [line.split("\t", 2) for line in answer.stdout.splitlines()]


def test_the_hook_is_installed_with_the_others() -> None:
    config = (ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8")

    assert "default_install_hook_types: [pre-commit, commit-msg]" in config
    assert "-m tests.architecture.commit_subject" in config
