"""The platform's messages in English and Chinese, by stable code.

Every app has its own in `locales/en.json` and `locales/zh-CN.json`; together they form one catalogue. A
parameter whose `name.value` is itself a code (`what.workload`) is replaced by that sentence, and
`{max:duration}` writes seconds in their largest units.
"""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Final

from typing_extensions import override

LANGUAGES = ("en", "zh-CN")
DURATION: Final = "duration"
_UNITS: Final = ((86_400, "day"), (3600, "hour"), (60, "minute"), (1, "second"))
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
    shown = {
        name: _Number(value, language)
        if isinstance(value, int)
        else sentences.get(f"{name}.{value}", value)
        for name, value in params.items()
    }
    return pattern.format_map(Visible(shown))


def format_duration(seconds: int, language: str) -> str:
    """Return a length of time in its two largest units: `3 d 4 h`, `42 s`."""
    sentences, left = load_messages(language), seconds
    parts = []
    for length, unit in _UNITS:
        amount, left = divmod(left, length)
        if amount:
            parts.append(sentences[f"unit.{unit}"].format(amount=amount))
    return " ".join(parts[:2]) or sentences["unit.second"].format(amount=0)


class _Number(int):
    """A number in a sentence, which may be written as a duration."""

    language: str

    def __new__(cls, value: int, language: str) -> "_Number":
        """Keep the language of the sentence."""
        made = super().__new__(cls, value)
        made.language = language
        return made

    @override
    def __format__(self, spec: str) -> str:
        if spec == DURATION:
            return format_duration(int(self), self.language)
        return format(int(self), spec)


class Visible(dict[str, object]):
    """Parameters of a sentence; a missing one stays visible as its name."""

    def __missing__(self, name: str) -> "_Missing":
        return _Missing(f"{{{name}}}")


class _Missing(str):
    """The name of a parameter that is not given, however the sentence would write it."""

    __slots__ = ()

    @override
    def __format__(self, spec: str) -> str:
        return str(self)
