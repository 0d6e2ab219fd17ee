"""`docs/dev/asvs.md` walks the whole of ASVS 5.0, level 2: each requirement once, with something that holds it."""

import re
from collections import Counter
from typing import Final

from tests.architecture.sources import ROOT

PAGE: Final = ROOT / "docs" / "dev" / "asvs.md"
SECTIONS: Final = (
    "1.1:2 1.2:9 1.3:11 1.4:3 1.5:2 2.1:3 2.2:3 2.3:4 2.4:1 3.2:2 3.3:4 3.4:6 3.5:5 3.7:2 4.1:3 4.2:1 4.3:2 4.4:4 "
    "5.1:1 5.2:3 5.3:2 5.4:3 6.1:3 6.2:12 6.3:4 6.4:4 6.5:5 6.6:3 6.8:4 7.1:3 7.2:4 7.3:2 7.4:5 7.5:2 7.6:2 "
    "8.1:2 8.2:3 8.3:1 8.4:1 9.1:3 9.2:4 10.1:2 10.2:2 10.3:4 10.4:11 10.5:5 10.6:2 10.7:3 11.1:2 11.2:3 11.3:3 "
    "11.4:4 11.5:1 11.6:1 12.1:3 12.2:2 12.3:4 13.1:1 13.2:5 13.3:2 13.4:5 14.1:2 14.2:4 14.3:3 15.1:3 15.2:3 "
    "15.3:7 16.1:1 16.2:5 16.3:4 16.4:3 16.5:3 17.1:1 17.2:4 17.3:2"
)
"""How many requirements of levels 1 and 2 each section has; they come before those of level 3."""
NUMBER: Final = re.compile(r"\d+\.\d+\.\d+")
ROW: Final = re.compile(
    r"^\| (\d+\.\d+\.\d+(?:, \d+\.\d+\.\d+)*) \| (.+) \| ?(.*)\|$", re.MULTILINE
)
HOLDS: Final = re.compile(r"`[^`]+`|\*\*n/a\*\*|\*\*open\*\*|the (?:table|paragraph) above")


def _rows() -> list[tuple[str, str, str]]:
    return ROW.findall(PAGE.read_text(encoding="utf-8"))


def test_every_requirement_is_walked_once() -> None:
    asked = {
        f"{section}.{number}"
        for section, count in (item.split(":") for item in SECTIONS.split())
        for number in range(1, int(count) + 1)
    }
    walked = Counter(number for numbers, _, _ in _rows() for number in NUMBER.findall(numbers))

    assert len(asked) == 253
    assert set(walked) == asked
    assert max(walked.values()) == 1


def test_each_row_names_a_test_a_place_or_what_is_missing() -> None:
    bare = [numbers for numbers, how, proof in _rows() if not HOLDS.search(f"{how} {proof}")]

    assert bare == []
