"""Reading what a newer agent has written, after a rollback.

Its containers keep running and are adopted with what this agent understands of their files.
Standard library only: shims import this.
"""

from collections.abc import Mapping
from dataclasses import Field, fields
from typing import Any, ClassVar, Protocol, TypeVar

from wire.words import Device, ExitCause, Isolation, Probe, SilenceTerm


class _Dataclass(Protocol):
    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]


T = TypeVar("T", bound=_Dataclass)


def from_known_fields(kind: type[T], content: Mapping[str, Any]) -> T:
    """Return a dataclass from a table of its fields; unknown fields are ignored."""
    names = {item.name for item in fields(kind)}
    return kind(**{name: value for name, value in content.items() if name in names})


def parse_device(content: Mapping[str, Any]) -> Device:
    """Return a device; an isolation that this agent does not know is dropped."""
    return from_known_fields(
        Device, {**content, "isolation": parse_isolation(content.get("isolation"))}
    )


def parse_isolation(text: str | None) -> Isolation | None:
    """Return an isolation; None for one that this agent does not know."""
    return Isolation(text) if text in frozenset(Isolation) else None


def parse_silence(text: str | None) -> SilenceTerm:
    """Return a term of silence; one that is missing or not known ends with the lease."""
    return SilenceTerm(text) if text in frozenset(SilenceTerm) else SilenceTerm.REPLACE


def parse_probe(content: Mapping[str, Any] | None) -> Probe | None:
    """Return a probe; None of an earlier agent, or of a portal that names none."""
    return None if content is None else from_known_fields(Probe, content)


def parse_cause(text: str) -> ExitCause:
    """Return a cause; one that this agent does not know becomes `VANISHED`."""
    try:
        return ExitCause(text)
    except ValueError:
        return ExitCause.VANISHED
