"""Which replicas of services have a claim on GPUs that others hold beyond what they are promised.

Nothing here moves a GPU. A claim becomes a priority inside the group of the service, and the queue does
the rest by the rules that hold for all work: quotas, loans called back, preemption, notice. What was
given comes back by the same queue once the claim has ended.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from scheduler.scaling.values import Quality

NEAR_PERMILLE: Final = 850
"""A latency of so much of the target is near it."""
EASY_PERMILLE: Final = 600
"""At so much of the target a service has more than it needs."""
EASY_MS: Final = 120_000
"""So long it must stay easy before its claim ends."""
STALE_MS: Final = 10_000
"""Load that is older begins no claim and ends none."""


class ShareClaim(StrEnum):
    """Why a replica is there, the strongest first."""

    PROMISED = "promised"
    """It is one of the least that its owner wants: the guarantee of a service."""
    NEEDED = "needed"
    """Its latency service is near its target."""
    SPARE = "spare"
    """Beyond both: it takes what nobody waits for, and is the first to leave if it can be evicted."""


class ShareReason(StrEnum):
    """Why a claim begins or ends; parameters stand in braces, all whole numbers."""

    NEAR_TARGET = "share_near_target"
    """{latency_permille, open, slots, waiting}: latency over the target, 1,000 is at it; so many of its
    replicas are in the queue."""
    CROWDED = "share_crowded"
    """{open, slots, waiting}: more requests are open or held than its ready replicas answer at a time."""
    EASY = "share_easy"
    """{latency_permille, easy_ms}: it has been easy for so long, and claims nothing of others."""
    GIVEN = "share_given"
    """{replicas}: so many of its replicas were evicted for another service of its group, and wait."""
    YIELDED = "share_yielded"
    """{replicas}: a replica of another service of its group waits with a stronger claim; so many are kept."""
    BACK = "share_back"
    """{replicas}: so many have what they had given, or are not wanted any more."""


@dataclass(frozen=True, slots=True)
class ShareState:
    """What is remembered of a service from one decision to the next."""

    claims_since_ms: int | None = None
    """Since when it claims what it needs; None is that it does not."""
    easy_since_ms: int | None = None
    given: int = 0
    """Of its replicas, those that wait because another service of its group had a stronger claim."""

    def record(self) -> dict[str, int | None]:
        """The state as JSON; `share_from_record` reads it."""
        return {
            "claims_since_ms": self.claims_since_ms,
            "easy_since_ms": self.easy_since_ms,
            "given": self.given,
        }


def share_from_record(record: Mapping[str, object]) -> ShareState:
    """The state of what `record` wrote; what is missing or of another shape is forgotten."""
    claims, easy, given = (
        value if isinstance(value := record.get(name), int) else None
        for name in ("claims_since_ms", "easy_since_ms", "given")
    )
    return ShareState(claims, easy, given or 0)


@dataclass(frozen=True, slots=True)
class ServiceShare:
    """One service as it stands."""

    quality: Quality
    minimum: int
    replicas: tuple[str, ...]
    """Those that stay, in the order in which they are kept: who answers first, then the oldest."""
    waiting: int
    """Of these, those in the queue."""
    open_requests: int
    """Open at replicas or held."""
    slots: int
    """Requests that its ready replicas answer at a time."""
    latency_permille: int
    """The measured latency over the target; 0 where nothing was answered."""
    load_age_ms: int
    state: ShareState = ShareState()


@dataclass(frozen=True, slots=True)
class ShareDecision:
    """The claim of each replica, and why that has changed."""

    claims: tuple[tuple[str, ShareClaim], ...]
    state: ShareState
    reason: ShareReason | None = None
    """None is that nothing has begun or ended."""
    params: tuple[tuple[str, int], ...] = ()


def decide_claims(now_ms: int, given: ServiceShare) -> ShareDecision:
    """Return the claims of one service; never raises.

    A throughput service has claims for its least number only. A claim begins when a replica waits that
    is needed now, so a forecast claims nothing. Load that is too old changes nothing.
    """
    decided = ShareDecision((), given.state)
    if given.quality is Quality.THROUGHPUT:
        decided = ShareDecision((), ShareState(given=given.state.given))
    elif given.load_age_ms <= STALE_MS:
        decided = _judged(now_ms, given)
    claims = (claim_at(place, given.minimum, decided.state) for place in range(len(given.replicas)))
    return replace(decided, claims=tuple(zip(given.replicas, claims, strict=True)))


def claim_at(place: int, minimum: int, state: ShareState) -> ShareClaim:
    """Return the claim of the replica at a place in the order in which they are kept; 0 is the first."""
    if place < minimum:
        return ShareClaim.PROMISED
    return ShareClaim.SPARE if state.claims_since_ms is None else ShareClaim.NEEDED


def _judged(now_ms: int, given: ServiceShare) -> ShareDecision:
    is_near = given.latency_permille >= NEAR_PERMILLE
    if is_near or given.open_requests > given.slots:
        return _pressed(now_ms, given, is_near=is_near)
    state = given.state
    if state.claims_since_ms is None or given.latency_permille > EASY_PERMILLE:
        return ShareDecision((), replace(state, easy_since_ms=None))
    since = now_ms if state.easy_since_ms is None else state.easy_since_ms
    if now_ms - since < EASY_MS:
        return ShareDecision((), replace(state, easy_since_ms=since))
    easy = (("latency_permille", given.latency_permille), ("easy_ms", now_ms - since))
    return ShareDecision((), ShareState(given=state.given), ShareReason.EASY, easy)


def _pressed(now_ms: int, given: ServiceShare, *, is_near: bool) -> ShareDecision:
    """It is near its target or crowded: its claim stays, or begins if a replica waits."""
    state = replace(given.state, easy_since_ms=None)
    if state.claims_since_ms is not None or not given.waiting:
        return ShareDecision((), state)
    begun = replace(state, claims_since_ms=now_ms)
    load = (("open", given.open_requests), ("slots", given.slots), ("waiting", given.waiting))
    if is_near:
        params = (("latency_permille", given.latency_permille), *load)
        return ShareDecision((), begun, ShareReason.NEAR_TARGET, params)
    return ShareDecision((), begun, ShareReason.CROWDED, load)


@dataclass(frozen=True, slots=True)
class SpareHolder:
    """A latency service, as one that could let replicas leave for a stronger claim of its group."""

    key: str
    claim: ShareClaim
    """Of its replicas beyond the promised ones."""
    spare: int
    """So many of these hold GPUs and are not leaving."""


def yields_to(claim: ShareClaim, waiting: Collection[ShareClaim]) -> bool:
    """Return whether any claim that waits is stronger."""
    return any(_STRENGTH[each] < _STRENGTH[claim] for each in waiting)


def who_yields(holders: Iterable[SpareHolder], waiting: Collection[ShareClaim]) -> str | None:
    """Return who lets a replica leave for the claims that wait: the weakest, then who has most to spare."""
    those = [each for each in holders if each.spare > 0 and yields_to(each.claim, waiting)]
    if not those:
        return None
    return max(those, key=lambda each: (_STRENGTH[each.claim], each.spare, each.key)).key


_STRENGTH: Final = {claim: place for place, claim in enumerate(ShareClaim)}


def cap_for_others(minimum: int, holding: int, leaving: int, *, is_chosen: bool) -> int:
    """Return how many replicas a service keeps while a stronger claim of its group waits.

    It queues none beyond what it holds; who is chosen keeps one less, and no fewer until that one has
    left. Replicas of a latency service are never evicted, so they leave as on any other scale-in: no
    request of theirs is cut.
    """
    gives = is_chosen and not leaving
    return max(minimum, holding - 1 if gives else holding)
