"""What rules mean for a submission: defaults, locked and required fields, ranges, choices; pure.

Several rules hold at once: those of the pool, and those of each group from the organisation down to
the one that submits. All of them must be kept, so the strictest wins. Of defaults the nearest wins,
unless a field is locked: then it has the value of the first that locks it, the pool before the
groups, a group before those below it.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import Any, Final, Self
from uuid import UUID

from portal.common.errors import Fault

DEVICE_FIELDS: Final = frozenset(
    {"gpus", "slices", "gpu_milli", "gpu_memory_mib", "gpu_memory_ceiling_mib", "mig_profile"}
)
"""Ways to request GPUs: a range of one holds where that one is requested."""


class RuleScope(StrEnum):
    """Whose rules they are."""

    GROUP = "group"
    POOL = "pool"


@dataclass(frozen=True, slots=True)
class RuleSource:
    """The group or pool that says so."""

    scope: RuleScope
    id: UUID
    name: str
    title_en: str
    title_zh: str


@dataclass(frozen=True, slots=True)
class RuleTerms:
    """What one group or pool says about one kind of work."""

    defaults: Mapping[str, Any] = field(default_factory=dict)
    locked: Sequence[str] = field(default_factory=list)
    required: Sequence[str] = field(default_factory=list)
    ranges: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    choices: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @classmethod
    def of(cls, row: Any) -> Self:
        """Return the terms of a row."""
        return cls(row.defaults, row.locked, row.required, row.ranges, row.choices)

    def names(self) -> set[str]:
        """Return the fields about which they say something."""
        return {*self.defaults, *self.required, *self.ranges, *self.choices}

    def find_fault(self, name: str, value: Any) -> tuple[str, dict[str, int | str]] | None:
        """Return how a value breaks the range or the choices of a field, as a code with numbers."""
        bounds = self.ranges.get(name, {})
        low, high = bounds.get("min"), bounds.get("max")
        if low is not None and (value is None or value < low):
            return "rule_too_small", {"min": low}
        if high is not None and (value is None or value > high):
            return "rule_too_large", {"max": high}
        allowed = self.choices.get(name)
        if allowed is not None and value not in allowed:
            return "rule_not_offered", {"choices": ", ".join(allowed)}
        return None


@dataclass(frozen=True, slots=True)
class FieldRule:
    """What all rules together say about one field."""

    field: str
    default: Any
    """None without one."""
    is_locked: bool
    is_required: bool
    min: int | None
    max: int | None
    choices: tuple[str, ...] | None
    """None is any value."""
    sources: tuple[RuleSource, ...]
    """Those that say something about it, the pool first, then from the organisation down."""


@dataclass(frozen=True)
class RulesInForce:
    """The rules of the pool and of all groups that a submission is under, in that order."""

    rows: tuple[tuple[RuleSource, RuleTerms], ...] = ()

    def complete(self, given: Mapping[str, Any], alternatives: Sequence[Collection[str]]) -> Any:
        """Return a body in which defaults stand where nothing was given.

        A field that is given as null has no default, unless it is locked: then the null stays, so
        that it is refused. `alternatives` are sets of fields of which one that is given replaces
        the defaults of all.
        """
        replaced = {
            name
            for fields in alternatives
            if any(given.get(name) is not None for name in fields)
            for name in fields
        }
        added = {
            name: rule.default
            for name, rule in self.fields.items()
            if rule.default is not None
            and name not in given
            and (rule.is_locked or name not in replaced)
        }
        gone = {
            name
            for name, value in given.items()
            if value is None and name in self.fields and not self.fields[name].is_locked
        }
        return {name: value for name, value in ({**given, **added}).items() if name not in gone}

    def find_missing(self, body: Mapping[str, Any]) -> Iterator[Fault]:
        """Yield the required fields that a completed body leaves out or empty."""
        for name, rule in self.fields.items():
            value = body.get(name)
            is_filled = bool(value) if name in DEVICE_FIELDS else value not in (None, "", [], {})
            if rule.is_required and not is_filled:
                source = next(by for by, terms in self.rows if name in terms.required)
                yield Fault(f"/{name}", "rule_required", _named(source))

    def find_faults(self, asked: Mapping[str, Any]) -> Iterator[Fault]:
        """Yield what a submission breaks, each field once, with whose rule it is.

        Of fields that are not in `asked` nothing is said.
        """
        for name, value in asked.items():
            rule = self.fields.get(name)
            if rule and (rule.is_locked or value or name not in DEVICE_FIELDS):
                yield from self._faults_of(name, value)

    def longest_run_s(self, most_s: int) -> int:
        """Return how long work may run by the rules where it might for `most_s`, in seconds."""
        rule = self.fields.get("time_limit_s")
        return min(most_s, rule.max) if rule and rule.max is not None else most_s

    def shortest_run_s(self) -> int:
        """Return the least time limit by the rules, in seconds."""
        rule = self.fields.get("time_limit_s")
        return (rule.min or 0) if rule else 0

    @cached_property
    def fields(self) -> Mapping[str, FieldRule]:
        """What the rules say together, by field."""
        names = {name for _, terms in self.rows for name in terms.names()}
        return {name: self._combine(name) for name in sorted(names)}

    def _faults_of(self, name: str, value: Any) -> Iterator[Fault]:
        locking = next(((by, terms) for by, terms in self.rows if name in terms.locked), None)
        if locking is not None and value != locking[1].defaults[name]:
            by, terms = locking
            yield Fault(
                f"/{name}", "rule_locked", {"value": _words(terms.defaults[name]), **_named(by)}
            )
            return
        for by, terms in self.rows:
            if found := terms.find_fault(name, value):
                code, params = found
                yield Fault(f"/{name}", code, {**params, **_named(by)})
                return

    def _combine(self, name: str) -> FieldRule:
        said = [(by, terms) for by, terms in self.rows if name in terms.names()]
        ranges = [terms.ranges.get(name, {}) for _, terms in said]
        lists = [terms.choices[name] for _, terms in said if name in terms.choices]
        low = max((item["min"] for item in ranges if "min" in item), default=None)
        high = min((item["max"] for item in ranges if "max" in item), default=None)
        choices = (
            tuple(word for word in lists[0] if all(word in others for others in lists))
            if lists
            else None
        )
        locking = [terms.defaults[name] for _, terms in said if name in terms.locked]
        defaults = [terms.defaults[name] for _, terms in said if name in terms.defaults]
        return FieldRule(
            field=name,
            default=locking[0] if locking else _nearest(defaults, low, high, choices),
            is_locked=bool(locking),
            is_required=any(name in terms.required for _, terms in said),
            min=low,
            max=high,
            choices=choices,
            sources=tuple(by for by, _ in said),
        )


def _nearest(
    defaults: Sequence[Any], low: int | None, high: int | None, choices: Sequence[str] | None
) -> Any:
    """Return the last default that the rules allow; a number goes to the nearest that they allow."""
    for value in reversed(defaults):
        if choices is not None and value not in choices:
            continue
        if low is not None and value < low:
            return low
        if high is not None and value > high:
            return high
        return value
    return None


def _named(source: RuleSource) -> dict[str, int | str]:
    return {"scope": source.scope.value, "owner": source.name}


def _words(value: Any) -> str | int:
    """Return a value as the parameter of a message."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str | int) else str(value)
