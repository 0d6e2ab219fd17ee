"""Faults and cases of the book have tests of their name, and the page about them tells the truth."""

import re
from typing import Final

from scheduler.core.model.isolation import IsolationLevel
from tests.architecture.sources import ROOT, sources

PAGE: Final = ROOT / "docs" / "dev" / "proofs.md"
FAULTS: Final = (*range(14, 23), *range(25, 36))
CASES: Final = range(1, 11)
ASKED_FOR: Final = {*(f"F{number}" for number in FAULTS), *(f"C{number}" for number in CASES)}
HARDENING: Final = 22
EGRESS: Final = 12


TEST: Final = re.compile(r"^ *(?:async )?def (test_\w+)", re.MULTILINE)


def _tests() -> set[str]:
    ours = (source for source in sources() if source.path.startswith("tests/"))
    return {name for source in ours for name in TEST.findall(source.text)}


def test_every_fault_and_case_has_a_test_of_its_name() -> None:
    numbers = {found for name in _tests() for found in re.findall(r"_([cf]\d+)(?=_)", name)}

    assert {name.lower() for name in ASKED_FOR} - numbers == set()


def test_the_page_has_a_row_for_each_of_them() -> None:
    rows = re.findall(r"^\| ([A-Z]\d+) \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)

    assert sorted(rows) == sorted(ASKED_FOR)


def test_the_page_maps_every_probe_to_something_that_is_there() -> None:
    page = PAGE.read_text(encoding="utf-8")
    probes = "".join(
        source.text for source in sources() if source.path.startswith("tests/nodeagent/")
    )
    tests = _tests()
    named = set(re.findall(r"`([a-z_]+)`", page)) - {"dockerd", "doctor"}
    gone = {
        name
        for name in named
        if (name not in tests if name.startswith("test_") else f'"{name}"' not in probes)
    }

    assert gone == set()
    hardening, egress = page.split("## Hardening")[1].split("## Egress")
    assert len(re.findall(r"^\| \d+ \|", hardening, re.MULTILINE)) == HARDENING
    assert len(re.findall(r"^\| \d+ \|", egress, re.MULTILINE)) == EGRESS


def test_the_page_of_sharing_says_of_each_mode_what_has_run_on_a_card() -> None:
    page = (ROOT / "docs/admin/gpu-sharing.md").read_text(encoding="utf-8")
    (said,) = page.split("## What has run on a card")[1:]
    rows = set(re.findall(r"^\| `(\w+)` \|", said, re.MULTILINE))

    assert rows == {level.value for level in IsolationLevel}
    assert "../dev/cards.md#on-a-real-card" in said
    results = (ROOT / "docs/dev/cards.md").read_text(encoding="utf-8")
    assert "## On a real card" in results
    for other in (ROOT / "docs").rglob("*.md"):
        assert "has run on a GPU yet" not in other.read_text(encoding="utf-8"), other
