"""The sentences of `berth-server` in English and Chinese, by code.

Needs nothing but Python: `init` runs where no package is installed yet.
"""

import json
import os
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Final

LANGUAGES: Final = ("en", "zh-CN")
_FOLDER: Final = Path(__file__).parent / "locales"


@cache
def load_words(language: str) -> Mapping[str, str]:
    """Return the sentences of one language by code."""
    found: dict[str, str] = json.loads((_FOLDER / f"{language}.json").read_text(encoding="utf-8"))
    return found


def choose_language(environment: Mapping[str, str] = os.environ) -> str:
    """Return the language of the person at the terminal: that of the locale, else English."""
    spoken = next(filter(None, map(environment.get, ("LC_ALL", "LC_MESSAGES", "LANG"))), "")
    return "zh-CN" if spoken.lower().startswith("zh") else "en"


def say(language: str, code: str, params: Mapping[str, object] | None = None) -> str:
    """Return the sentence of a code; raises KeyError for a code or a parameter that is missing."""
    return load_words(language)[code].format_map(params or {})
