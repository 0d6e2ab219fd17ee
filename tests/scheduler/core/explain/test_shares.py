"""What a share of a GPU lacks is named: its part of the card, or the memory beside it."""

from dataclasses import replace

import pytest

from scheduler.core.dry_run import DryRunOutcome, DryRunResult, evaluate_submission
from scheduler.core.model.entities import Request
from scheduler.core.model.snapshot import Snapshot
from scheduler.core.model.states import NodeState
from tests.scheduler.scenario import snapshot_of

NEVER, NOW, PIECES, AWAY = "never_fits", "insufficient_now", "fragmented", "node_unavailable"
MIB = {"resource": "gpu_memory"}


def a_site(*nodes: str) -> Snapshot:
    """Return a pool that gives shares, with these nodes and one workload that waits."""
    return snapshot_of({"nodes": list(nodes), "waiting": ["a"]})


def with_taken(site: Snapshot, *taken: tuple[int, int]) -> Snapshot:
    """Return the site with thousandths and MiB of its first cards taken."""
    cards = tuple(
        replace(card, gpu_milli_taken=milli, gpu_memory_taken_mib=mib)
        for card, (milli, mib) in zip(site.accelerators, taken, strict=False)
    )
    return replace(site, accelerators=(*cards, *site.accelerators[len(cards) :]))


def asked(site: Snapshot, milli: int, mib: int, **more: object) -> DryRunResult:
    request = Request(gpu_milli=milli, gpu_memory_mib=mib, **more)  # type: ignore[arg-type]
    return evaluate_submission(site, replace(site.pending[0], request=request))


def reason_of(result: DryRunResult) -> tuple[str, dict[str, int | str]]:
    (reason,) = result.reasons
    return reason.code.value, dict(reason.params)


@pytest.mark.parametrize("milli", [1, 640, 999])
def test_more_memory_than_any_card_has_is_refused_for_its_memory(milli: int) -> None:
    small_and_large = a_site("n1: 2 cards, 24576 MiB", "n2: 1 cards of B, 49152 MiB")

    refused = asked(small_and_large, milli, 49_153)

    assert refused.outcome is DryRunOutcome.REFUSED
    assert reason_of(refused) == (NEVER, {**MIB, "requested": 49_153, "most": 49_152})
    assert asked(small_and_large, milli, 49_152).outcome is DryRunOutcome.STARTS_NOW


def test_the_most_is_what_cards_of_the_chosen_model_have() -> None:
    site = a_site("n1: 2 cards, 24576 MiB", "n2: 1 cards of B, 49152 MiB")
    model = site.accelerators[0].model

    refused = asked(site, 300, 30_000, gpu_models=frozenset({model}))

    assert reason_of(refused) == (NEVER, {**MIB, "requested": 30_000, "most": 24_576})


def test_a_large_card_that_is_away_is_waited_for_by_its_memory() -> None:
    site = a_site("n1: 2 cards, 24576 MiB", "n2: 1 cards of B, 49152 MiB")
    away = replace(
        site,
        nodes=tuple(
            replace(node, state=NodeState.LOST) if node.id == "n2" else node for node in site.nodes
        ),
    )

    waits = asked(away, 300, 30_000)

    assert waits.outcome is DryRunOutcome.WAITS
    assert reason_of(waits) == (AWAY, {**MIB, "requested": 30_000, "most": 24_576})


@pytest.mark.parametrize(
    ("taken", "milli", "mib", "reason"),
    [
        (((300, 20_000),), 500, 8000, (NOW, {**MIB, "requested": 8000, "free": 4576})),
        (
            ((300, 20_000),),
            800,
            8000,
            (NOW, {"resource": "share", "requested": 800, "free": 700}),
        ),
        (
            ((100, 20_000), (100, 20_000)),
            500,
            8000,
            (PIECES, {**MIB, "requested": 8000, "free": 9152, "largest": 4576}),
        ),
        # The memory is on the one card, the share on the other: of what gives the share, memory lacks.
        (
            ((100, 20_000), (900, 100)),
            500,
            8000,
            (NOW, {**MIB, "requested": 8000, "free": 4576}),
        ),
    ],
)
def test_what_is_taken_now_is_told_of_what_is_short(
    taken: tuple[tuple[int, int], ...],
    milli: int,
    mib: int,
    reason: tuple[str, dict[str, int | str]],
) -> None:
    site = with_taken(a_site(f"n1: {len(taken)} cards, 24576 MiB"), *taken)

    waits = asked(site, milli, mib)

    assert (waits.outcome, reason_of(waits)) == (DryRunOutcome.WAITS, reason)
