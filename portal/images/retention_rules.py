"""Which saved images a rule of retention lets go, and when; pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final
from uuid import UUID

GRACE: Final = timedelta(days=7)
"""After a rule has changed nothing goes for so long: people can still pin what they need."""


class KeptBy(StrEnum):
    """Why an image stays for now, whatever its age."""

    PINNED = "pinned"
    IN_USE = "in_use"
    """Work that has not ended uses it, stopped notebooks included."""
    NAMED = "named"
    """A template, a submission rule or an app names it."""
    NEWEST = "newest"
    NO_RULE = "no_rule"


@dataclass(frozen=True, slots=True)
class RetentionRule:
    """A rule of the platform or of a group."""

    newest: int
    used_days: int | None
    """None keeps everything."""
    changed_at: datetime


@dataclass(frozen=True, slots=True)
class ImageUse:
    """What decides about one saved image."""

    image_id: UUID
    group_id: UUID
    rank: int
    """1 is the newest of its owner and group."""
    last_used: datetime
    """When it was made, or the last work on it ended."""
    is_pinned: bool
    is_in_use: bool
    is_named: bool


@dataclass(frozen=True, slots=True)
class Verdict:
    """When an image goes, or why it does not; one of both is given."""

    kept_by: KeptBy | None = None
    leaves_at: datetime | None = None


def judge(use: ImageUse, rule: RetentionRule | None) -> Verdict:
    """Return what a rule says about an image; without a rule it stays."""
    if rule is None or rule.used_days is None:
        return Verdict(kept_by=KeptBy.NO_RULE)
    if use.is_pinned:
        return Verdict(kept_by=KeptBy.PINNED)
    if use.is_in_use:
        return Verdict(kept_by=KeptBy.IN_USE)
    if use.is_named:
        return Verdict(kept_by=KeptBy.NAMED)
    if use.rank <= rule.newest:
        return Verdict(kept_by=KeptBy.NEWEST)
    unused_until = use.last_used + timedelta(days=rule.used_days)
    return Verdict(leaves_at=max(unused_until, rule.changed_at + GRACE))


def nearest_rule(
    path: Sequence[UUID], rules: Mapping[UUID | None, RetentionRule]
) -> RetentionRule | None:
    """Return the rule of a group: its own, of the nearest group above, or of the platform.

    `path` leads from the root down to the group.
    """
    return rules.get(source_of(path, rules))


def source_of(path: Sequence[UUID], rules: Mapping[UUID | None, RetentionRule]) -> UUID | None:
    """Return the group whose rule is in force for the last group of a path; None is the platform."""
    return next((group for group in reversed(path) if group in rules), None)
