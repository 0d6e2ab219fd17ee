"""The platform's messages in English and Chinese, by stable code.

Every app has its own in `locales/en.json` and `locales/zh-CN.json`; together they form one catalogue. A
parameter whose `name.value` is itself a code (`what.workload`) is replaced by that sentence, and so is
`{"code": …, "params": …}`; of several, each has a line. `{"title_en": …, "title_zh": …}` of a group or pool is
the title in that language. Amounts are written as people say them by what they
are: `{max:duration}`, `{idle_min:minutes}`, `{limit_mib:memory}`, `{size:bytes}`, `{changed_at:moment}`.
"""

import json
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Final, TypedDict

from typing_extensions import override

from portal.common.clock import from_millis

LANGUAGES = ("en", "zh-CN")
_BYTES: Final = ("B", "KiB", "MiB", "GiB", "TiB")
_UNITS: Final = ((86_400, "day"), (3600, "hour"), (60, "minute"), (1, "second"))
_APPS = Path(__file__).resolve().parents[1]


class Part(TypedDict):
    """A sentence as a parameter of another one, for whatever language that is written in."""

    code: str
    params: dict[str, object]


class Titled(TypedDict):
    """A group, pool or other thing with a title in each language, as a parameter of a sentence."""

    title_en: str
    title_zh: str


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
    shown = {name: _shown(language, name, value) for name, value in params.items()}
    return pattern.format_map(Visible(shown))


def translate_part(language: str, part: Part) -> str:
    """Return a sentence that is a parameter of others."""
    return translate(language, part["code"], part["params"])


def _shown(language: str, name: str, value: object) -> object:
    """Return a parameter as the sentence takes it."""
    if isinstance(value, int):
        return _Number(value, language)
    if isinstance(value, list):
        return "\n".join(str(_shown(language, name, each)) for each in value)
    if isinstance(value, dict) and "title_en" in value:
        return value["title_zh" if language == "zh-CN" else "title_en"]
    if isinstance(value, dict):
        return translate(language, value["code"], value["params"])
    return load_messages(language).get(f"{name}.{value}", value)


def format_duration(seconds: int, language: str) -> str:
    """Return a length of time in its two largest units: `3 d 4 h`, `42 s`."""
    sentences, left = load_messages(language), seconds
    parts = []
    for length, unit in _UNITS:
        amount, left = divmod(left, length)
        if amount:
            parts.append(sentences[f"unit.{unit}"].format(amount=amount))
    return " ".join(parts[:2]) or sentences["unit.second"].format(amount=0)


def format_moment(millis: int) -> str:
    """Return a moment by the clock that all readers share."""
    return f"{from_millis(millis):%Y-%m-%d %H:%M} UTC"


def format_memory(mib: int) -> str:
    """Return MiB as `512 MiB` or `4.0 GiB`."""
    if mib < 1024:
        return f"{mib} MiB"
    gib = mib / 1024
    return f"{gib:,.1f} GiB" if gib < 100 else f"{gib:,.0f} GiB"


def format_bytes(count: int) -> str:
    """Return the size of something as `312 B`, `4.5 KiB` or `1.2 GiB`."""
    amount, units = float(count), list(_BYTES)
    while amount >= 1024 and len(units) > 1:
        amount, units = amount / 1024, units[1:]
    return f"{amount:.1f}".removesuffix(".0") + f" {units[0]}"


_AMOUNTS: Final[Mapping[str, Callable[[int, str], str]]] = {
    "duration": format_duration,
    "minutes": lambda count, language: format_duration(60 * count, language),
    "memory": lambda count, _: format_memory(count),
    "bytes": lambda count, _: format_bytes(count),
    "moment": lambda count, _: format_moment(count),
}
"""How a sentence writes a number that it says to be such an amount."""


class _Number(int):
    """A number in a sentence, which may say what amount it is."""

    language: str

    def __new__(cls, value: int, language: str) -> "_Number":
        """Keep the language of the sentence."""
        made = super().__new__(cls, value)
        made.language = language
        return made

    @override
    def __format__(self, spec: str) -> str:
        write = _AMOUNTS.get(spec)
        return write(int(self), self.language) if write else format(int(self), spec)


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
