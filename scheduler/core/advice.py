"""Advice that less of a card is enough, from what past runs of the same kind really used; pure.

There is none without measured runs, nor for work on several cards, because use is not known for each
card. What is advised leaves headroom above the highest peak, is less than what was requested, and is
evaluated like a submission: when it would start comes from the same cycle.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from scheduler.core.dry_run import DryRunOutcome, DryRunResult, evaluate_submission
from scheduler.core.model.card_kind import is_chosen
from scheduler.core.model.entities import (
    AcceleratorView,
    PendingWorkload,
    PoolId,
    PoolView,
    Request,
)
from scheduler.core.model.gpu_model import GpuModel
from scheduler.core.model.mig import find_profile, find_smallest_profile
from scheduler.core.model.snapshot import Snapshot
from scheduler.core.model.states import AcceleratorState

HEADROOM_PCT: Final = 125
"""What is advised is so much of what was used."""
BUSY_MAX_PCT: Final = 50
"""Busier work is not advised to take a smaller card of which it is not known how fast it is."""
SHARE_STEP_MILLI: Final = 50
SHARE_STEP_MIB: Final = 512
ADVISED_MAX: Final = 3
NOTHING_KNOWN: Final[Mapping[str, GpuModel]] = MappingProxyType({})


class AdviceCode(StrEnum):
    """What would be enough. The codes never change."""

    SLICES = "slices_enough"
    SHARE = "share_enough"
    PROFILE = "profile_enough"
    CARD = "gpu_enough"
    """A card with less memory."""


@dataclass(frozen=True, slots=True)
class MeasuredRun:
    """What the busiest replica of one past run used of its card."""

    peak_mib: int
    busy_pct: int
    """Highest utilisation while it ran."""
    model: str = ""
    """Of the card that it ran on; empty where that is not known."""


@dataclass(frozen=True, slots=True)
class NeededSpeed:
    """What a card must be able to do for runs like these not to become slower; whole card × percent."""

    fp16_tflops_pct: int
    bandwidth_gbps_pct: int

    def is_met_by(self, model: GpuModel | None) -> bool:
        """Return whether a model is certainly fast enough, by compute and by memory bandwidth."""
        return (
            model is not None
            and model.fp16_tflops * 100 * 100 >= self.fp16_tflops_pct * HEADROOM_PCT
            and model.bandwidth_gbps * 100 * 100 >= self.bandwidth_gbps_pct * HEADROOM_PCT
        )


@dataclass(frozen=True, slots=True)
class MeasuredNeed:
    """What work like this has used at most, over some runs."""

    runs: int
    peak_mib: int
    busy_pct: int
    speed: NeededSpeed | None = None
    """None where the catalogue does not know how fast the cards of the runs are."""

    def is_fast_enough(self, model: GpuModel | None) -> bool:
        """Return whether such runs would not become slower on a whole card of this model."""
        if self.speed is not None and model is not None and model.is_speed_known:
            return self.speed.is_met_by(model)
        return self.busy_pct <= BUSY_MAX_PCT

    @property
    def memory_mib(self) -> int:
        """Memory that is certainly enough."""
        return -(-self.peak_mib * HEADROOM_PCT // 100)

    @property
    def gpu_milli(self) -> int:
        """Thousandths of a card's compute that are certainly enough."""
        return min(1000, max(SHARE_STEP_MILLI, -(-self.busy_pct * 10 * HEADROOM_PCT // 100)))


@dataclass(frozen=True, slots=True)
class GpuSize:
    """How much of a card one replica gets."""

    memory_mib: int
    gpu_milli: int


@dataclass(frozen=True, slots=True)
class SmallerRequest:
    """A request for less, and where."""

    code: AdviceCode
    pool: PoolId
    request: Request
    size: GpuSize
    model: str = ""
    """Of its cards, where they are all of one model."""


@dataclass(frozen=True, slots=True)
class AdvisedRequest:
    """A smaller request that is enough, and what would happen to it now."""

    request: SmallerRequest
    verdict: DryRunResult


@dataclass(frozen=True, slots=True)
class Advice:
    """What work like this needs, what it requests, and what would be enough."""

    need: MeasuredNeed
    asked: GpuSize
    enough: tuple[AdvisedRequest, ...]


def measure_need(
    runs: Sequence[MeasuredRun], catalogue: Mapping[str, GpuModel] = NOTHING_KNOWN
) -> MeasuredNeed | None:
    """Return what these runs have used at most; None where nothing was measured."""
    measured = [run for run in runs if run.peak_mib]
    if not measured:
        return None
    peak = max(run.peak_mib for run in measured)
    busy_pct = max(run.busy_pct for run in measured)
    return MeasuredNeed(len(measured), peak, busy_pct, _needed_speed(measured, catalogue))


def _needed_speed(
    measured: Iterable[MeasuredRun], catalogue: Mapping[str, GpuModel]
) -> NeededSpeed | None:
    pairs = [(run.busy_pct, catalogue.get(run.model)) for run in measured]
    known = [(pct, model) for pct, model in pairs if model is not None and model.is_speed_known]
    if len(known) < len(pairs):
        return None
    return NeededSpeed(
        max(pct * model.fp16_tflops for pct, model in known),
        max(pct * model.bandwidth_gbps for pct, model in known),
    )


def advise_smaller_request(
    snapshot: Snapshot,
    hypothetical: PendingWorkload,
    runs: Sequence[MeasuredRun],
    among: Collection[PoolId],
    catalogue: Mapping[str, GpuModel] = NOTHING_KNOWN,
) -> Advice | None:
    """Return smaller requests that are enough in one of these pools; None if there are none.

    `catalogue` has what is known of models of cards, by which whole cards are compared.
    """
    need = measure_need(runs, catalogue)
    asked = size_requested(hypothetical, snapshot) if need else None
    if need is None or asked is None:
        return None
    found = []
    for smaller in find_enough(snapshot, hypothetical, need, asked, among, catalogue):
        instead = replace(hypothetical, pool=smaller.pool, request=smaller.request)
        result = evaluate_submission(snapshot, instead)
        if result.outcome is not DryRunOutcome.REFUSED:
            found.append(AdvisedRequest(smaller, result))
        if len(found) == ADVISED_MAX:
            break
    return Advice(need, asked, tuple(found)) if found else None


def size_requested(work: PendingWorkload, snapshot: Snapshot) -> GpuSize | None:
    """Return what one replica requests of its card; None without a card, or with several."""
    request = work.request
    pool = next(pool for pool in snapshot.pools if pool.id == work.pool)
    cards = _cards_by_pool(snapshot).get(pool.id, ())
    if request.mig_profile:
        profiles = max((card.mig_profiles for card in cards), key=len, default=())
        profile = find_profile(profiles, request.mig_profile)
        if profile is None:
            return None
        return GpuSize(profile.memory_mib, request.slices * 1000 // pool.slices_per_card)
    if request.slices:
        milli = request.slices * (1000 // pool.slices_per_card)
        return GpuSize(request.slices * pool.slice_mib, milli)
    if request.gpu_milli:
        return GpuSize(request.gpu_memory_mib, request.gpu_milli)
    if request.gpus != 1 or not cards:
        return None
    chosen = [card.memory_mib for card in cards if is_chosen(card, request)]
    return GpuSize(min(chosen), 1000) if chosen else None


def find_enough(
    snapshot: Snapshot,
    work: PendingWorkload,
    need: MeasuredNeed,
    asked: GpuSize,
    among: Collection[PoolId],
    catalogue: Mapping[str, GpuModel] = NOTHING_KNOWN,
) -> list[SmallerRequest]:
    """Return what is enough and less than requested, its own pool first, then the smallest."""
    cards_in = _cards_by_pool(snapshot)
    found = []
    for pool in snapshot.pools:
        cards = cards_in.get(pool.id, ())
        if pool.id in among and pool.is_open and cards:
            smaller = _smaller_in(pool, cards, work.request, need, catalogue)
            if smaller is not None and _is_less(smaller.size, asked):
                found.append(smaller)
    return sorted(
        found,
        key=lambda part: (
            part.pool != work.pool,
            part.size.gpu_milli,
            part.size.memory_mib,
            part.pool,
        ),
    )


def _smaller_in(
    pool: PoolView,
    cards: Sequence[AcceleratorView],
    request: Request,
    need: MeasuredNeed,
    catalogue: Mapping[str, GpuModel],
) -> SmallerRequest | None:
    """Return the least of a pool's cards that is enough, in the form that the pool allocates."""
    bare = replace(
        request,
        gpus=0,
        slices=0,
        gpu_milli=0,
        gpu_memory_mib=0,
        mig_profile="",
        gpu_models=frozenset(),
        gpu_memory_min_mib=0,
        gpu_bandwidth_min_gbps=0,
    )
    models = {card.model for card in cards}
    model = next(iter(models)) if len(models) == 1 else ""
    profiles = max((card.mig_profiles for card in cards), key=len)
    if profiles:
        whole = max(profile.compute for profile in profiles)
        profile = find_smallest_profile(
            profiles, milli=need.gpu_milli, mib=need.memory_mib, of=whole
        )
        if profile is None:
            return None
        size = GpuSize(profile.memory_mib, profile.size * 1000 // pool.slices_per_card)
        smaller = replace(bare, slices=profile.size, mig_profile=profile.name)
        return SmallerRequest(AdviceCode.PROFILE, pool.id, smaller, size, model)
    if pool.slices_per_card > 1:
        milli = 1000 // pool.slices_per_card
        count = max(-(-need.memory_mib // pool.slice_mib), -(-need.gpu_milli // milli))
        size = GpuSize(count * pool.slice_mib, count * milli)
        smaller = replace(bare, slices=count)
        fits = count <= pool.slices_per_card
        return SmallerRequest(AdviceCode.SLICES, pool.id, smaller, size, model) if fits else None
    if any(card.is_fractional for card in cards):
        size = GpuSize(_up(need.memory_mib, SHARE_STEP_MIB), _up(need.gpu_milli, SHARE_STEP_MILLI))
        smaller = replace(bare, gpu_milli=size.gpu_milli, gpu_memory_mib=size.memory_mib)
        smallest_mib = min(card.memory_mib for card in cards)
        fits = size.memory_mib <= smallest_mib and size.gpu_milli < 1000
        return SmallerRequest(AdviceCode.SHARE, pool.id, smaller, size, model) if fits else None
    return _smaller_card(pool, cards, replace(bare, gpus=1), need, catalogue)


def _smaller_card(
    pool: PoolView,
    cards: Sequence[AcceleratorView],
    request: Request,
    need: MeasuredNeed,
    catalogue: Mapping[str, GpuModel],
) -> SmallerRequest | None:
    """Return the model with the least memory that is enough; it is named where there are others."""
    by_model: dict[str, list[int]] = defaultdict(list)
    for card in cards:
        by_model[card.model].append(card.memory_mib)
    for model, sizes in sorted(by_model.items(), key=lambda item: (max(item[1]), item[0])):
        if min(sizes) >= need.memory_mib and need.is_fast_enough(catalogue.get(model)):
            named = frozenset({model} if len(by_model) > 1 else ())
            smaller = replace(request, gpu_models=named)
            return SmallerRequest(
                AdviceCode.CARD, pool.id, smaller, GpuSize(max(sizes), 1000), model
            )
    return None


def _is_less(size: GpuSize, asked: GpuSize) -> bool:
    """Return whether it is less of something, and more of nothing."""
    return (
        size != asked and size.memory_mib <= asked.memory_mib and size.gpu_milli <= asked.gpu_milli
    )


def _up(amount: int, step: int) -> int:
    return -(-amount // step) * step


def _cards_by_pool(snapshot: Snapshot) -> Mapping[PoolId, Sequence[AcceleratorView]]:
    found: dict[PoolId, list[AcceleratorView]] = defaultdict(list)
    for card in _present(snapshot.accelerators):
        found[card.pool].append(card)
    return found


def _present(cards: Iterable[AcceleratorView]) -> Iterable[AcceleratorView]:
    return (card for card in cards if card.state is not AcceleratorState.GONE)
