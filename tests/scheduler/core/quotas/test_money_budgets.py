"""Budgets of money: work starts only if its dearest GPU, until its time limit, is still paid for."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

import pytest

from scheduler.core.ledger import Ledger
from scheduler.core.model.entities import BudgetView, GroupId, Millis, PoolId, PriceView
from scheduler.core.model.reasons import Reason, ReasonCode
from scheduler.core.model.snapshot import Snapshot
from tests.scheduler.scenario import snapshot_of

UNIT: Final = 1_000_000
HOUR_MS: Final = 3_600_000
PRICES: Final = {"h100": 4 * UNIT, "t4": UNIT}


def site(
    waiting: str,
    limit: int,
    used: int = 0,
    prices: Mapping[str, int | None] = PRICES,
    running: tuple[str, ...] = (),
) -> Snapshot:
    """Return a pool of two models whose group may spend so many millionths within ten hours."""
    base = snapshot_of({"nodes": ["n1: 8 cards"], "running": list(running), "waiting": [waiting]})
    pool = base.pools[0].id
    budget = BudgetView(
        group=GroupId("lab"),
        pool=None,
        limit=limit,
        used=used,
        ends_at=Millis(base.taken_at + 10 * HOUR_MS),
        currency="CNY",
        prices=tuple(PriceView(PoolId(pool), model, hourly) for model, hourly in prices.items()),
    )
    return replace(base, budgets=(budget,))


def refusals(given: Snapshot, models: frozenset[str] = frozenset()) -> tuple[Reason, ...]:
    work = given.pending[0]
    asked = replace(work, request=replace(work.request, gpu_models=models))
    return Ledger(given).quotas.refusals(asked)


@pytest.mark.parametrize(
    ("limit", "models", "starts"),
    [
        (8 * UNIT, frozenset[str](), True),
        (8 * UNIT - 1, frozenset[str](), False),
        (2 * UNIT, frozenset({"t4"}), True),
        (2 * UNIT - 1, frozenset({"t4"}), False),
    ],
    ids=str,
)
def test_two_gpus_for_an_hour_cost_what_the_dearest_accepted_model_does(
    limit: int, models: frozenset[str], *, starts: bool
) -> None:
    given = site("x: 2 cards, limit 3600", limit)
    assert (refusals(given, models) == ()) is starts


def test_what_is_spent_and_what_runs_count_and_the_reason_is_in_money() -> None:
    given = site(
        "x: 1 cards, limit 3600",
        10 * UNIT,
        used=2_345_001,
        running=("a: 1 cards on n1, ends in 3600 s",),
    )
    (reason,) = refusals(given)
    assert reason.code is ReasonCode.QUOTA_BUDGET
    assert {name: reason.params[name] for name in ("used", "promised", "requested", "limit")} == {
        "used": "2.35",
        "promised": "4.00 CNY",
        "requested": "4.00 CNY",
        "limit": "10.00 CNY",
    }


def test_a_model_without_a_price_does_not_start_and_a_priced_one_does() -> None:
    given = site("x: 1 cards, limit 3600", 100 * UNIT, prices={"h100": None, "t4": UNIT})
    (reason,) = refusals(given)
    assert (reason.code, reason.params["model"]) == (ReasonCode.BUDGET_NO_PRICE, "h100")
    assert refusals(given, frozenset({"t4"})) == ()


def test_work_without_gpus_needs_no_price() -> None:
    assert refusals(site("x: 0 cards", 0, prices={"h100": None})) == ()


def test_equal_amounts_of_different_models_are_different_questions() -> None:
    given = site("x: 1 cards, limit 3600", UNIT)
    quotas, work = Ledger(given).quotas, given.pending[0]
    cheap = replace(work, request=replace(work.request, gpu_models=frozenset({"t4"})))
    dear = replace(work, request=replace(work.request, gpu_models=frozenset({"h100"})))
    assert [bool(quotas.refusals(each)) for each in (cheap, dear, cheap)] == [False, True, False]


def test_the_longest_time_is_what_the_rest_pays() -> None:
    given = site("x: 2 cards, limit 36000", 8 * UNIT)
    budgets = Ledger(given).quotas.budgets
    assert budgets.longest_s(given.pending[0]) == 3600
    assert (
        budgets.opens_at(given.pending[0], given.taken_at) == given.budgets[0].ends_at - 3_600_000
    )
