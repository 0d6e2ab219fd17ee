"""The hook that reads commit messages."""

import pytest

from tests.architecture.commit_subject import faults_of
from tests.architecture.sources import ROOT

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
        (f"{GOOD}\nand why", "second line"),
    ],
)
def test_others_are_told_what_is_wrong(message: str, fault: str) -> None:
    (found,) = faults_of(message)

    assert fault in found


def test_the_hook_is_installed_with_the_others() -> None:
    config = (ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8")

    assert "default_install_hook_types: [pre-commit, commit-msg]" in config
    assert "-m tests.architecture.commit_subject" in config
