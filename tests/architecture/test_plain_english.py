"""Docstrings, comments and pages use the plain word where a literary one says the same."""

import re
from collections.abc import Iterator, Mapping
from typing import Final

import pytest

from tests.architecture.prose.spans import prose

PLAIN: Final[Mapping[str, str]] = {
    r"told": "notified, reported, instructed, sent, distinguished",
    r"(?<!-)lives": "exists, runs",
    r"(?:goes|go|going|went) on": "continues",
    r"lets? in": "authorise, accept",
    r"(?:a|each|one|every|next|last|first|same|two|new) looks?": "a poll, a check, a reading",
    r"anew": "again, from the start",
    r"who(?:m)?ever": "the caller, a person who, anybody",
    r"(?:take|takes|taken|took|taking) away": "remove",
    r"for good": "permanently",
    r"in vain": "without success, for nothing",
    r"at hand": "available, loaded",
    r"lately": "recently",
    r"shall": "must, is to",
    r"dear(?:er|est)?": "costly, expensive",
    r"alike": "equal, equally, both",
    r"living": "running, live",
    r"whence": "from where",
    r"throw[ns]? away": "discard",
    r"(?:is|are|no|not) news": "a change, an event",
    r"(?:comes?|came) to be": "is created",
}
"""Literary words, and what is written in their place."""
QUOTED: Final = {"docs/users/distributed-training.md": "*Go on from it in"}
"""Labels of pages that stand in a guide."""
_LITERARY: Final = re.compile(rf"\b(?:{'|'.join(PLAIN)})\b", re.IGNORECASE)
_NO_PROSE: Final = re.compile(r"`[^`]*`|\]\([^)]*\)")
_ELSEWHERE: Final = ("docs/adr/", "docs/reference/", "tests/", "frontend/")
"""Records of decisions are never edited, pages of reference are written from the code."""
_OF_THE_API: Final = re.compile(r"api/|shapes\.py$|serializers\.py$")
"""Docstrings there are texts of the API."""


def test_plain_words_are_used() -> None:
    assert list(_found()) == []


@pytest.mark.parametrize(
    ("text", "is_plain"),
    [
        ("What runs goes on as it is.", False),
        ("What runs continues as it is.", True),
        ("Whoever asks is told so.", False),
        ("decayed use after three half-lives", True),
        ("see [this](../adr/0056-energy-goes-to-whoever-held-the-gpu.md)", True),
        ("`told` is a name", True),
    ],
)
def test_only_prose_is_read(text: str, *, is_plain: bool) -> None:
    assert (_literary(text) == []) is is_plain


def _found() -> Iterator[str]:
    for path, line, text in prose():
        if path.startswith(_ELSEWHERE) or _OF_THE_API.search(path):
            continue
        unquoted = text.replace(QUOTED[path], "") if path in QUOTED else text
        yield from (f"{path}:{line} {word}" for word in _literary(unquoted))


def _literary(text: str) -> list[str]:
    return _LITERARY.findall(_NO_PROSE.sub("", text))
