"""The pages of `docs/users` as tests read them: their blocks of code, and the requests that prose names.

The words behind a fence say how its block is used: `sh` in a shell of one's own machine, `sh in the notebook`,
`sh as a job`, `python fragment` for what is no whole program, `yaml job.yaml` for a file of that name.
"""

import re
import textwrap
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.architecture.sources import ROOT

PAGES: Final = ROOT / "docs" / "users"
ENDINGS: Final = {"en": ".md", "zh-CN": ".zh-CN.md"}
STEMS: Final = sorted(path.name.removesuffix(".zh-CN.md") for path in PAGES.glob("*.zh-CN.md"))
_BLOCK: Final = re.compile(r"^( *)```([^\n]*)\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)
_COMMENT: Final = re.compile(r"(^|\s+)# .*$", re.MULTILINE)
_NAMED: Final = re.compile(r"`(GET|POST|PUT|PATCH|DELETE) (/api/v1/[^`\s]+)`")


@dataclass(frozen=True, slots=True)
class Block:
    """A block of code of a page."""

    place: str
    """File and line, for who has to mend it."""
    info: str
    text: str

    @property
    def commands(self) -> str:
        """The block without its comments, which each language has in its own words."""
        return _COMMENT.sub("", self.text)


def path_of(stem: str, language: str) -> Path:
    """Return the file of a page."""
    return PAGES / f"{stem}{ENDINGS[language]}"


def blocks_of(path: Path) -> list[Block]:
    """Return the blocks of a Markdown file in their order."""
    text = path.read_text(encoding="utf-8")
    return [
        Block(
            f"{path.name}:{text.count(chr(10), 0, found.start()) + 1}",
            found[2],
            textwrap.dedent(found[3]),
        )
        for found in _BLOCK.finditer(text)
    ]


def requests_named_in(path: Path) -> list[tuple[str, str]]:
    """Return method and address of the requests that stand in the prose of a Markdown file."""
    return _NAMED.findall(_BLOCK.sub("", path.read_text(encoding="utf-8")))


def requests_of(block: Block) -> list[tuple[str, str, str]]:
    """Return method, address and body of the requests that a block lists, without its comments."""
    entries = re.split(r"^(?=[A-Z])", block.commands, flags=re.MULTILINE)
    parts = [entry.split(maxsplit=2) for entry in entries if entry.strip()]
    return [(part[0], part[1], part[2].strip() if len(part) > 2 else "") for part in parts]
