"""Reasons and causes are worded in the portal's catalogue; the frontend's locale files repeat them from there."""

import json
import re
from pathlib import Path
from typing import Any, Final

from portal.common.translations import LANGUAGES, load_messages
from tests.architecture.sources import ROOT

SECTIONS: Final = ("reason", "cause", "amount", "counter")
_PLACE: Final = re.compile(r"\{(\w+)(?::\w+)?\}")


def locale_files() -> dict[Path, str]:
    """Return the frontend's files that hold these sections, as they should be."""
    return {
        path: _with_sections(path, language) for language in LANGUAGES for path in _of(language)
    }


def _of(language: str) -> list[Path]:
    files = sorted((ROOT / "frontend" / "src").rglob(f"locales/{language}.json"))
    return [path for path in files if SECTIONS[0] in json.loads(path.read_text(encoding="utf-8"))]


def _with_sections(path: Path, language: str) -> str:
    texts: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    texts |= {section: _section(section, language) for section in SECTIONS}
    return json.dumps(texts, ensure_ascii=False, indent=2) + "\n"


def _section(section: str, language: str) -> dict[str, str]:
    """Return the sentences of a section; Chinese has one plural form, and i18next knows that."""
    return {
        name.removeprefix(f"{section}."): _PLACE.sub(r"{{\1}}", text)
        for name, text in load_messages(language).items()
        if name.startswith(f"{section}.") and not (language != "en" and name.endswith("_one"))
    }
