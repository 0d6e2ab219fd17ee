"""Whether a card may be trusted: `(what was known, what is seen now, now) → what is known`; pure.

A driver says ok, bad or gone. Here that becomes:

gone   off the bus or away; by an Xid: until the host was rebooted
bad    broken by an Xid until the host was rebooted, by its counters as long as they say so, or
       `xid_rate`: more errors than a card in order lets happen, until they have grown old
dirty  used by somebody who is none of ours, or not returned by work that has ended; looked at
       again with every sample, and ok by itself once it has been clean for a while

An operator's word drops what is remembered; what is seen then decides alone, and at once.

What is seen must last before it counts: a process that is just ending is still on the card.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from nodeagent.gpu.health.xids import XidClass, classify_xid
from wire.facts import AcceleratorHealth as H

RATE_FAULT: Final = "xid_rate"


@dataclass(frozen=True, slots=True)
class HealthThresholds:
    """When something counts. Times in milliseconds."""

    foreign_ms: int = 4_000
    unreturned_ms: int = 15_000
    clean_ms: int = 4_000
    idle_mib: int = 1024
    """What a card may hold while nobody uses it: this, or `idle_pct` of a large card."""
    idle_pct: int = 2
    xids_max: int = 20
    """Told Xids on one card within `xid_window_ms` that do not yet make it bad."""
    xid_window_ms: int = 3_600_000


THRESHOLDS: Final = HealthThresholds()


@dataclass(frozen=True, slots=True)
class CardObservation:
    """One card at one moment."""

    health: H
    fault: str = ""
    """What the driver alone says."""
    xids: tuple[int, ...] = ()
    foreign_pids: tuple[int, ...] = ()
    """Processes on it that are in none of our containers."""
    is_held: bool = False
    """Whether a container of ours has it."""
    is_used: bool | None = None
    """Whether any process is on it; None when nobody can tell."""
    memory_mib: int = 0
    memory_used_mib: int | None = None
    ecc_uncorrected: int = 0
    has_remap_failed: bool = False


@dataclass(frozen=True, slots=True)
class CardState:
    """What is known of one card."""

    health: H = H.OK
    fault: str = ""
    latched_fault: str = ""
    """An Xid that counts until the host was rebooted, such as `xid_79`."""
    xid_counts: Mapping[int, int] = field(default_factory=dict)
    """How often each Xid was reported."""
    xid_times: tuple[int, ...] = ()
    suspected_fault: str = ""
    """What would make it dirty if it lasts."""
    suspected_since: int = 0
    dirty_reason: str = ""
    clean_since: int | None = None


def evaluate_health(
    before: CardState, seen: CardObservation, now: int, limits: HealthThresholds = THRESHOLDS
) -> CardState:
    """Return what is known after one more look."""
    after = _track_dirt(_count_xids(before, seen, now, limits), seen, now, limits)
    health, fault = _verdict(after, seen, limits)
    return replace(after, health=health, fault=fault)


def reset_health(
    known: CardState, seen: CardObservation, limits: HealthThresholds = THRESHOLDS
) -> CardState:
    """Return what is known once an operator has asked for another look: what is seen, no more."""
    dirt = _suspicion(seen, limits) if seen.health is H.OK else ""
    return replace(
        known,
        latched_fault="",
        xid_times=(),
        dirty_reason=dirt,
        suspected_fault="",
        clean_since=None,
    )


def _verdict(known: CardState, seen: CardObservation, limits: HealthThresholds) -> tuple[H, str]:
    """Return the worst that holds now."""
    if seen.health is H.GONE:
        return H.GONE, known.latched_fault or seen.fault
    if known.latched_fault:
        is_lost = classify_xid(int(known.latched_fault.removeprefix("xid_"))) is XidClass.LOST
        return (H.GONE if is_lost else H.BAD), known.latched_fault
    if seen.health is H.BAD:
        return H.BAD, seen.fault
    counters = (
        (seen.has_remap_failed, "row_remap_failed"),
        (seen.ecc_uncorrected > 0, "ecc_uncorrected"),
        (len(known.xid_times) > limits.xids_max, RATE_FAULT),
    )
    fault = next((name for is_so, name in counters if is_so), "")
    if fault:
        return H.BAD, fault
    return (H.DIRTY, known.dirty_reason) if known.dirty_reason else (H.OK, "")


def _count_xids(
    known: CardState, seen: CardObservation, now: int, limits: HealthThresholds
) -> CardState:
    counts, latched = dict(known.xid_counts), known.latched_fault
    fresh: list[int] = []
    for code in seen.xids:
        counts[code] = counts.get(code, 0) + 1
        kind = classify_xid(code)
        if kind is XidClass.TOLD:
            fresh.append(now)
        elif not latched or kind is XidClass.LOST:
            latched = f"xid_{code}"
    recent = (at for at in known.xid_times if now - at < limits.xid_window_ms)
    times = (*recent, *fresh)[-limits.xids_max - 1 :]
    return replace(known, xid_counts=counts, latched_fault=latched, xid_times=times)


def _track_dirt(
    known: CardState, seen: CardObservation, now: int, limits: HealthThresholds
) -> CardState:
    """Take note of what should not be on the card, once it has lasted; and of its end."""
    if seen.health is not H.OK:
        return replace(known, suspected_fault="", clean_since=None)
    found = _suspicion(seen, limits)
    if not found:
        since = now if known.clean_since is None else known.clean_since
        is_clean = not known.dirty_reason or now - since >= limits.clean_ms
        dirt = "" if is_clean else known.dirty_reason
        return replace(known, suspected_fault="", dirty_reason=dirt, clean_since=since)
    since = known.suspected_since if known.suspected_fault == found else now
    patience = limits.foreign_ms if found == "foreign_process" else limits.unreturned_ms
    dirt = found if now - since >= patience else known.dirty_reason
    return replace(
        known, suspected_fault=found, suspected_since=since, dirty_reason=dirt, clean_since=None
    )


def _suspicion(seen: CardObservation, limits: HealthThresholds) -> str:
    if seen.foreign_pids:
        return "foreign_process"
    free_mib = max(limits.idle_mib, seen.memory_mib * limits.idle_pct // 100)
    is_idle = not seen.is_held and not seen.is_used
    return "memory_not_returned" if is_idle and (seen.memory_used_mib or 0) > free_mib else ""
