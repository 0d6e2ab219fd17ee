"""What a template means for a submission: defaults, locked fields and ranges; pure."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Self

from portal.common.errors import Fault

ALTERNATIVES: Final = (
    frozenset({"command", "script"}),
    frozenset(
        {
            *("gpus", "slices", "gpu_milli", "gpu_memory_mib", "gpu_memory_ceiling_mib"),
            "mig_profile",
        }
    ),
)
"""Fields that stand for each other: one that is given replaces the defaults of all of its set."""


@dataclass(frozen=True, slots=True)
class TemplateTerms:
    """The settings of a template, and which of them bind."""

    settings: Mapping[str, Any]
    locked: Sequence[str] = ()
    ranges: Mapping[str, Mapping[str, int]] | None = None

    @classmethod
    def of(cls, row: Any) -> Self:
        """Return the terms of a row."""
        return cls(row.settings, row.locked, row.ranges)

    def complete(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return a body in which the template's settings stand where nothing was given.

        A field that is given as null has neither (RFC 7396), unless it is locked: then the null
        stays in the body, so that it is refused.
        """
        replaced = {
            name
            for fields in ALTERNATIVES
            if any(given.get(name) is not None for name in fields)
            for name in fields
        }
        kept = {
            name: value
            for name, value in self.settings.items()
            if name in self.locked or name not in replaced
        }
        return {
            name: value
            for name, value in (kept | dict(given)).items()
            if value is not None or name in self.locked or name not in self.settings
        }

    def find_faults(self, asked: Mapping[str, Any], settings: Mapping[str, Any]) -> Iterator[Fault]:
        """Yield what a validated body breaks; `settings` are the validated ones of the template."""
        for name in self.locked:
            if asked.get(name) != settings.get(name):
                yield Fault(f"/{name}", "template_locked", {"field": name})
        for name, bounds in (self.ranges or {}).items():
            value = asked.get(name)
            low, high = bounds.get("min"), bounds.get("max")
            if low is not None and (value is None or value < low):
                yield Fault(f"/{name}", "too_small", {"min": low})
            elif high is not None and (value is None or value > high):
                yield Fault(f"/{name}", "too_large", {"max": high})
