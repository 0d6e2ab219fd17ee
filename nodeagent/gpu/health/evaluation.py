"""Evaluates the health of a card from its previous state and a new observation; pure.

The driver reports ok, bad or gone. The evaluated health is:

gone   off the bus or missing; after such an Xid, until the host is rebooted
bad    after an Xid for a broken card, until the host is rebooted; by its error counters, as long
       as they are set; or `xid_rate`: more Xids than a healthy card has, until they are old
dirty  used by a foreign process, or with memory that ended work has not returned; ok again
       when it has been clean for a while

An operator's retest clears what is remembered; then the current observation decides alone.

A dirty card must stay so for a while before it counts, because a process that is just ending is
still on the card.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from nodeagent.gpu.health.xids import XidClass, classify_xid
from wire.facts import AcceleratorHealth as H

RATE_FAULT: Final = "xid_rate"


@dataclass(frozen=True, slots=True)
class HealthThresholds:
    """Limits for the evaluation. Times in milliseconds."""

    foreign_ms: int = 4_000
    unreturned_ms: int = 15_000
    clean_ms: int = 4_000
    idle_mib: int = 1024
    """Memory in use on an unused card that is still normal: this, or `idle_pct` of a large card."""
    idle_pct: int = 2
    xids_max: int = 20
    """Number of harmless Xids within `xid_window_ms` above which the card is bad."""
    xid_window_ms: int = 3_600_000


THRESHOLDS: Final = HealthThresholds()


@dataclass(frozen=True, slots=True)
class CardObservation:
    """One card at one moment."""

    health: H
    fault: str = ""
    """Reported by the driver."""
    xids: tuple[int, ...] = ()
    foreign_pids: tuple[int, ...] = ()
    """Processes on it that belong to none of its containers."""
    is_held: bool = False
    """Whether a container of this node has it."""
    is_used: bool | None = None
    """Whether there are processes on it; None if unknown."""
    memory_mib: int = 0
    memory_used_mib: int | None = None
    ecc_uncorrected: int = 0
    has_remap_failed: bool = False


@dataclass(frozen=True, slots=True)
class CardState:
    """What is remembered about one card."""

    health: H = H.OK
    fault: str = ""
    latched_fault: str = ""
    """An Xid that counts until the host is rebooted, such as `xid_79`."""
    xid_counts: Mapping[int, int] = field(default_factory=dict)
    """How often each Xid was reported."""
    xid_times: tuple[int, ...] = ()
    suspected_fault: str = ""
    """The reason for which it becomes dirty if that lasts."""
    suspected_since: int = 0
    dirty_reason: str = ""
    clean_since: int | None = None


def evaluate_health(
    previous: CardState,
    observation: CardObservation,
    now: int,
    limits: HealthThresholds = THRESHOLDS,
) -> CardState:
    """Return a card's state after a new observation."""
    after = _track_dirt(_count_xids(previous, observation, now, limits), observation, now, limits)
    health, fault = _find_worst(after, observation, limits)
    return replace(after, health=health, fault=fault)


def reset_health(
    state: CardState, observation: CardObservation, limits: HealthThresholds = THRESHOLDS
) -> CardState:
    """Return the state after an operator's retest: only the current observation counts."""
    dirt = _find_dirt(observation, limits) if observation.health is H.OK else ""
    return replace(
        state,
        latched_fault="",
        xid_times=(),
        dirty_reason=dirt,
        suspected_fault="",
        clean_since=None,
    )


def _find_worst(
    state: CardState, observation: CardObservation, limits: HealthThresholds
) -> tuple[H, str]:
    """Return the most severe health that applies now, with its fault."""
    if observation.health is H.GONE:
        return H.GONE, state.latched_fault or observation.fault
    if state.latched_fault:
        is_lost = classify_xid(int(state.latched_fault.removeprefix("xid_"))) is XidClass.LOST
        return (H.GONE if is_lost else H.BAD), state.latched_fault
    if observation.health is H.BAD:
        return H.BAD, observation.fault
    counters = (
        (observation.has_remap_failed, "row_remap_failed"),
        (observation.ecc_uncorrected > 0, "ecc_uncorrected"),
        (len(state.xid_times) > limits.xids_max, RATE_FAULT),
    )
    fault = next((name for is_set, name in counters if is_set), "")
    if fault:
        return H.BAD, fault
    return (H.DIRTY, state.dirty_reason) if state.dirty_reason else (H.OK, "")


def _count_xids(
    state: CardState, observation: CardObservation, now: int, limits: HealthThresholds
) -> CardState:
    counts, latched = dict(state.xid_counts), state.latched_fault
    fresh: list[int] = []
    for code in observation.xids:
        counts[code] = counts.get(code, 0) + 1
        kind = classify_xid(code)
        if kind is XidClass.REPORTED:
            fresh.append(now)
        elif not latched or kind is XidClass.LOST:
            latched = f"xid_{code}"
    recent = (at for at in state.xid_times if now - at < limits.xid_window_ms)
    times = (*recent, *fresh)[-limits.xids_max - 1 :]
    return replace(state, xid_counts=counts, latched_fault=latched, xid_times=times)


def _track_dirt(
    state: CardState, observation: CardObservation, now: int, limits: HealthThresholds
) -> CardState:
    """Update what is dirty about the card, and since when it is dirty or clean."""
    if observation.health is not H.OK:
        return replace(state, suspected_fault="", clean_since=None)
    suspected = _find_dirt(observation, limits)
    if not suspected:
        since = now if state.clean_since is None else state.clean_since
        is_clean = not state.dirty_reason or now - since >= limits.clean_ms
        dirt = "" if is_clean else state.dirty_reason
        return replace(state, suspected_fault="", dirty_reason=dirt, clean_since=since)
    since = state.suspected_since if state.suspected_fault == suspected else now
    delay_ms = limits.foreign_ms if suspected == "foreign_process" else limits.unreturned_ms
    dirt = suspected if now - since >= delay_ms else state.dirty_reason
    return replace(
        state, suspected_fault=suspected, suspected_since=since, dirty_reason=dirt, clean_since=None
    )


def _find_dirt(observation: CardObservation, limits: HealthThresholds) -> str:
    if observation.foreign_pids:
        return "foreign_process"
    free_mib = max(limits.idle_mib, observation.memory_mib * limits.idle_pct // 100)
    is_idle = not observation.is_held and not observation.is_used
    return (
        "memory_not_returned" if is_idle and (observation.memory_used_mib or 0) > free_mib else ""
    )
