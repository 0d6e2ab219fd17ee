"""Every file that is written from the code, and its text."""

from pathlib import Path
from typing import Final

from tests.architecture.sources import ROOT
from tests.reference import kinds, limits, list_kinds, refusals
from tests.reference.sentences import locale_files

FOLDER: Final = ROOT / "docs" / "reference"
KINDS: Final = ROOT / "frontend" / "src" / "shared" / "api" / "kinds.gen.ts"


def written() -> dict[Path, str]:
    """Return the files with their texts."""
    return {
        FOLDER / "limits.md": limits.page(),
        FOLDER / "refusals.md": refusals.page(),
        KINDS: kinds.module(),
        list_kinds.FILE: list_kinds.types(),
        **locale_files(),
    }
