"""The platform's messages in English and Chinese, by stable code.

Every app has its own in `locales/en.json` and `locales/zh-CN.json`; together they form one catalogue. A
parameter whose `name.value` is itself a code (`what.workload`) is replaced by that sentence.
"""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path

LANGUAGES = ("en", "zh-CN")
_APPS = Path(__file__).resolve().parents[1]


@cache
def load_messages(language: str) -> Mapping[str, str]:
    """Return all sentences of one language."""
    sentences: dict[str, str] = {}
    for file in sorted(_APPS.glob(f"*/locales/{language}.json")):
        sentences.update(json.loads(file.read_text(encoding="utf-8")))
    return sentences


def translate(language: str, code: str, params: Mapping[str, object]) -> str:
    """Return the sentence for a code, or the code itself when the catalogue has none."""
    sentences = load_messages(language)
    pattern = sentences.get(code)
    if pattern is None:
        return code
    shown = {name: sentences.get(f"{name}.{value}", value) for name, value in params.items()}
    return pattern.format_map(Visible(shown))


class Visible(dict[str, object]):
    """Parameters of a sentence; a missing one stays visible as its name."""

    def __missing__(self, name: str) -> str:
        return f"{{{name}}}"
