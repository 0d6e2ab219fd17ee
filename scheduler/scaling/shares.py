"""Who gives share of GPUs to a latency service near its target, and when it comes back.

All amounts are thousandths of a GPU of one pool. Nothing here starts or stops anything: the steps are
new ceilings that the ledger, quotas and reclaim apply like any other.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

NEAR_PERMILLE: Final = 850
"""A latency of so much of the target is near it."""
EASY_PERMILLE: Final = 600
"""At so much of the target a service has more than it needs."""
EASY_MS: Final = 120_000
"""So long it must stay easy before it gives back."""
STEP_PERMILLE: Final = 250
"""One step is so much of the service's share."""


class ShareHolder(StrEnum):
    """Who holds share, in the order in which it gives what is above its guarantee."""

    BORROWED = "borrowed"
    """Work on GPUs that its group has borrowed."""
    THROUGHPUT = "throughput"
    """A throughput service."""
    NOTEBOOK = "notebook"
    """A notebook that bursts above its guarantee."""
    LATENCY = "latency"
    """A latency service: it takes, and never gives what it has not taken."""


GIVING: Final = (ShareHolder.BORROWED, ShareHolder.THROUGHPUT, ShareHolder.NOTEBOOK)


@dataclass(frozen=True, slots=True)
class HeldShare:
    """One holder as it stands."""

    key: str
    holder: ShareHolder
    share_milli: int
    guarantee_milli: int
    ceiling_milli: int
    latency_permille: int = 0
    """Of a latency service: the measured latency over its target; 1,000 is at it."""

    @property
    def above_milli(self) -> int:
        """What it holds beyond its guarantee."""
        return max(0, self.share_milli - self.guarantee_milli)


@dataclass(frozen=True, slots=True)
class ShareLoan:
    """What one holder has given another, oldest first in a list."""

    giver: str
    taker: str
    milli: int


@dataclass(frozen=True, slots=True)
class ShareState:
    """What is remembered from one decision to the next."""

    loans: tuple[ShareLoan, ...] = ()
    easy_since: tuple[tuple[str, int], ...] = ()
    """(service, moment): since when it has been easy."""


class ShareReason(StrEnum):
    """Why a step is made or not; parameters stand in braces."""

    NEAR_TARGET = "near_target"
    """{latency_permille, share_milli, milli, above_milli}: the giver held so much above its guarantee."""
    BELOW_GUARANTEE = "below_guarantee"
    """{share_milli, guarantee_milli, milli, above_milli}: a service gets what it was promised."""
    GIVEN_BACK = "given_back"
    """{latency_permille, share_milli, milli, easy_ms}"""
    AT_CEILING = "at_ceiling"
    """{latency_permille, ceiling_milli}: near its target, and it may hold no more; add replicas."""
    NOBODY_ABOVE = "nobody_above"
    """{latency_permille, missing_milli}: near its target, and nobody holds more than promised."""


@dataclass(frozen=True, slots=True)
class ShareStep:
    """One step: so much goes from one holder to another; nothing moves where the giver is empty."""

    giver: str
    taker: str
    milli: int
    reason: ShareReason
    params: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class SharePlan:
    """All steps of one decision, in the order to make them, and what to remember."""

    steps: tuple[ShareStep, ...]
    state: ShareState


def plan_shares(now_ms: int, holders: Sequence[HeldShare], state: ShareState) -> SharePlan:
    """Return the steps of one moment; those furthest beyond their target take first."""
    book = _Book({each.key: each for each in holders}, list(_still_there(holders, state.loans)))
    easy = _easy(now_ms, holders, state)
    steps: list[ShareStep] = []
    takers = [each for each in holders if each.holder is ShareHolder.LATENCY]
    for taker in sorted(takers, key=lambda each: (-each.latency_permille, each.key)):
        if taker.share_milli < taker.guarantee_milli or taker.latency_permille >= NEAR_PERMILLE:
            steps.extend(book.taken(taker))
        elif now_ms - easy.get(taker.key, now_ms) >= EASY_MS:
            steps.extend(book.given_back(taker, now_ms - easy[taker.key]))
            easy[taker.key] = now_ms
    return SharePlan(tuple(steps), ShareState(tuple(book.loans), tuple(sorted(easy.items()))))


def _easy(now_ms: int, holders: Sequence[HeldShare], state: ShareState) -> dict[str, int]:
    before = dict(state.easy_since)
    return {
        each.key: before.get(each.key, now_ms)
        for each in holders
        if each.holder is ShareHolder.LATENCY and each.latency_permille <= EASY_PERMILLE
    }


def _still_there(holders: Sequence[HeldShare], loans: Sequence[ShareLoan]) -> Iterator[ShareLoan]:
    """Loans whose taker still holds so much; those of a giver that has ended stay with the pool."""
    held = {each.key: each.above_milli for each in holders}
    for loan in loans:
        milli = min(loan.milli, held.get(loan.taker, 0))
        if milli and loan.giver in held:
            yield replace(loan, milli=milli)


@dataclass(slots=True)
class _Book:
    """The shares while steps are planned."""

    holders: dict[str, HeldShare]
    loans: list[ShareLoan]

    def taken(self, taker: HeldShare) -> Iterator[ShareStep]:
        """Take a step's worth from those above their guarantee, borrowed GPUs first."""
        missing = taker.guarantee_milli - taker.share_milli
        promised = missing > 0
        wanted = missing if promised else max(1, taker.share_milli * STEP_PERMILLE // 1000)
        wanted = min(wanted, taker.ceiling_milli - taker.share_milli)
        numbers = (("latency_permille", taker.latency_permille),)
        if wanted <= 0:
            yield ShareStep(
                "",
                taker.key,
                0,
                ShareReason.AT_CEILING,
                (*numbers, ("ceiling_milli", taker.ceiling_milli)),
            )
            return
        for giver in self._givers():
            milli = min(wanted, giver.above_milli)
            if not milli:
                break
            yield self._moved(giver, self.holders[taker.key], milli, promised=promised)
            wanted -= milli
        if wanted:
            yield ShareStep(
                "", taker.key, 0, ShareReason.NOBODY_ABOVE, (*numbers, ("missing_milli", wanted))
            )

    def given_back(self, taker: HeldShare, easy_ms: int) -> Iterator[ShareStep]:
        """Give the newest loan back, as much of it as leaves the service short of near its target."""
        loan = next((each for each in reversed(self.loans) if each.taker == taker.key), None)
        if loan is None:
            return
        needed = -(-taker.share_milli * taker.latency_permille // NEAR_PERMILLE)
        giver = self.holders[loan.giver]
        spare = taker.share_milli - max(needed, taker.guarantee_milli)
        milli = min(loan.milli, spare, giver.ceiling_milli - giver.share_milli)
        if milli <= 0:
            return
        self._move(taker.key, giver.key, milli)
        self.loans.remove(loan)
        if loan.milli > milli:
            self.loans.append(replace(loan, milli=loan.milli - milli))
        yield ShareStep(
            taker.key,
            giver.key,
            milli,
            ShareReason.GIVEN_BACK,
            (
                ("latency_permille", taker.latency_permille),
                ("share_milli", taker.share_milli),
                ("milli", milli),
                ("easy_ms", easy_ms),
            ),
        )

    def _givers(self) -> list[HeldShare]:
        """By class, then those furthest above their guarantee."""
        those = [each for each in self.holders.values() if each.holder in GIVING]
        those = [each for each in those if each.above_milli]
        return sorted(
            those, key=lambda each: (GIVING.index(each.holder), -each.above_milli, each.key)
        )

    def _moved(
        self, giver: HeldShare, taker: HeldShare, milli: int, *, promised: bool
    ) -> ShareStep:
        self._move(giver.key, taker.key, milli)
        self.loans.append(ShareLoan(giver.key, taker.key, milli))
        reason = ShareReason.BELOW_GUARANTEE if promised else ShareReason.NEAR_TARGET
        measure = (
            ("guarantee_milli", taker.guarantee_milli)
            if promised
            else ("latency_permille", taker.latency_permille)
        )
        return ShareStep(
            giver.key,
            taker.key,
            milli,
            reason,
            (
                measure,
                ("share_milli", taker.share_milli),
                ("milli", milli),
                ("above_milli", giver.above_milli),
            ),
        )

    def _move(self, giver: str, taker: str, milli: int) -> None:
        for key, change in ((giver, -milli), (taker, milli)):
            held = self.holders[key]
            self.holders[key] = replace(held, share_milli=held.share_milli + change)
