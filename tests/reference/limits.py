"""`docs/reference/limits.md`: every limit that somebody can meet, with its unit and its place."""

import ast
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, fields
from datetime import timedelta
from inspect import getmodule
from typing import Any, Final, get_args

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from nodeagent.config import AgentConfig
from portal.config.env import Env
from portal.inventory.policy import LENDING_NUMBERS, NUMBERS
from scheduler.core.model.policy import LendingPolicy, PoolPolicy
from tests.architecture.sources import Source, sources
from tests.architecture.writers.annotations import loaded

WHERE: Final = ("portal", "wire", "scheduler/runtime", "scheduler/whatif/change.py")
LEFT_OUT: Final = ("portal.demo", "portal.config.settings")
NO_LIMITS: Final = {"WHOLE_MILLI", "MINUTE_S", "HOUR_S", "MINUTE_MS"}
"""Units and marks."""
OF_THE_HOST: Final = {"cpu_milli", "memory_mib", "docker.user_id"}
"""Settings that are what the host has unless they are set."""
HEAD: Final = """# Limits

Written by `make reference` from the code; do not edit. What limits one user's or one group's share of the
GPUs is set by people and stands in their quotas and limits, not here. Codes of refusals are in
[refusals.md](refusals.md).
"""
_LIMIT: Final = re.compile(
    r"[A-Z][A-Z0-9_]*_(?:MAX|MIN|S|MS|MIB|MILLI|PCT)|(?:[A-Z0-9_]+_)?(?:MAX|MIN)_[A-Z]+|[A-Z_]+_PER_S"
)
_UNITS: Final = (
    ("_per_s", "per second"),
    ("_ms", "ms"),
    ("_s", "s"),
    ("seconds", "s"),
    ("_days", "days"),
    ("_mib", "MiB"),
    ("_milli", "thousandths"),
    ("_pct", "%"),
    ("_bits", "bits"),
    ("_hours", "hours"),
)
_ENDS: Final = ("_max", "_min")


@dataclass(frozen=True, slots=True)
class Limit:
    """One constant of a module."""

    name: str
    module: str
    value: Any
    about: str
    """What stands below it; empty if nothing does."""

    @property
    def unit(self) -> str:
        """Return what is counted: as the name says, or the first word about it."""
        if isinstance(self.value, timedelta):
            return "s"
        word = self.about.split(" ")[0].lower() if self.about else ""
        return unit_of(self.name) or (word if word in ("bytes", "characters") else "")


def limits() -> list[Limit]:
    """Return the constants that limit something."""
    files = [source for source in sources() if source.path.startswith(WHERE)]
    return [
        limit
        for source in files
        if not source.module.startswith(LEFT_OUT)
        for limit in _of_module(source)
    ]


def _of_module(source: Source) -> Iterator[Limit]:
    for name, about in documented(source.tree.body).items():
        if name in NO_LIMITS or name.startswith("_") or not name.isupper():
            continue
        value = getattr(loaded(source.module), name)
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        is_range = isinstance(value, tuple) and all(isinstance(part, int) for part in value)
        if isinstance(value, timedelta) or (_LIMIT.fullmatch(name) and (is_number or is_range)):
            yield Limit(name, source.module, value, about)


def documented(body: list[ast.stmt]) -> dict[str, str]:
    """Return the names that statements assign, with the first sentence that stands below each."""
    found = {}
    for node, below in zip(body, [*body[1:], None], strict=False):
        targets = node.targets if isinstance(node, ast.Assign) else []
        if isinstance(node, ast.AnnAssign):
            targets = [node.target]
        for target in (part for part in targets if isinstance(part, ast.Name)):
            found[target.id] = _sentence(below)
    return found


def _sentence(node: ast.stmt | None) -> str:
    match node:
        case ast.Expr(value=ast.Constant(value=str() as text)):
            return " ".join(text.split())
        case _:
            return ""


def unit_of(name: str) -> str:
    """Return the unit that a name ends with, before what it is the most or least of."""
    short = name.lower()
    for end in _ENDS:
        short = short.removesuffix(end)
    short = re.sub(r"_(?:max|min)(?=_)", "", short)
    return next((unit for end, unit in _UNITS if short.endswith(end)), "")


def page() -> str:
    """Return the text of the page."""
    found = sorted(limits(), key=lambda limit: (limit.module, limit.name))
    times = [limit for limit in found if limit.unit in ("s", "ms", "days")]
    counts = [limit for limit in found if limit not in times]
    head = "| name | value | unit | where | what it limits |\n|---|---|---|---|---|"
    bounds = "| name | usual | least | most | unit | what it is |\n|---|---|---|---|---|---|"
    return "\n".join(
        [
            HEAD,
            "## Sizes and numbers\n",
            head,
            *map(_row, counts),
            "\n## Times\n",
            head,
            *map(_row, times),
            "\n## Rules of a pool\n",
            "Set by operators, pool by pool.\n",
            bounds,
            *_rules(PoolPolicy, NUMBERS, ""),
            *_rules(LendingPolicy, LENDING_NUMBERS, "lending."),
            "\n## Settings of the server\n",
            "Environment variables.\n",
            bounds,
            *_settings(Env, "BERTH_", str.upper),
            "\n## Settings of a node's agent\n",
            bounds,
            *_settings(AgentConfig, "", str),
            "",
        ]
    )


def _row(limit: Limit) -> str:
    value = shown(limit.value)
    return f"| `{limit.name}` | {value} | {limit.unit} | `{limit.module}` | {limit.about} |"


def shown(value: Any) -> str:
    """Write a number, a time in seconds or a range."""
    if isinstance(value, timedelta):
        return shown(value.total_seconds())
    if isinstance(value, tuple):
        return " … ".join(map(shown, value))
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return f"{value:,}"


def _rules(kind: Any, most: Mapping[str, int], prefix: str) -> Iterator[str]:
    about = _about(kind)
    for item in fields(kind):
        if item.name in most:
            least, usual = _least(kind, item.name), shown(item.default)
            yield (
                f"| `{prefix}{item.name}` | {usual} | {least} | {shown(most[item.name])} "
                f"| {unit_of(item.name)} | {about.get(item.name, '')} |"
            )


def _least(kind: Any, name: str) -> int:
    """Return the least that a rule may be, all others being as usual."""
    for value in (0, 1, 100):
        with suppress(ValueError):
            kind(**{name: value})
            return value
    raise AssertionError(name)


def _settings(kind: type[BaseModel], prefix: str, spell: Any) -> Iterator[str]:
    about = _about(kind)
    for name, item in kind.model_fields.items():
        if isinstance(inner := item.annotation, type) and issubclass(inner, BaseModel):
            yield from _settings(inner, f"{prefix}{name}.", spell)
        elif (bounds := _bounds(item)) and isinstance(item.default, int | float):
            least, most = bounds
            usual = "" if f"{prefix}{name}" in OF_THE_HOST else shown(item.default)
            yield (
                f"| `{prefix}{spell(name)}` | {usual} | {least} | {most} "
                f"| {unit_of(name)} | {about.get(name, '')} |"
            )


def _bounds(item: FieldInfo) -> tuple[str, str] | None:
    """Return the least and the most of a number; None of anything else."""
    kinds = {item.annotation, *get_args(item.annotation)}
    if not kinds & {int, float}:
        return None
    least = [getattr(mark, "ge", getattr(mark, "gt", None)) for mark in item.metadata]
    most = [getattr(mark, "le", getattr(mark, "lt", None)) for mark in item.metadata]
    return _first(least), _first(most)


def _first(values: list[Any]) -> str:
    return next((shown(value) for value in values if value is not None), "")


def _about(kind: Any) -> dict[str, str]:
    """Return what stands below the fields of a class."""
    module = getmodule(kind)
    (source,) = (item for item in sources() if module and item.module == module.__name__)
    (node,) = (
        item
        for item in source.tree.body
        if isinstance(item, ast.ClassDef) and item.name == kind.__name__
    )
    return documented(node.body)
