"""When budgets allow work that they refuse now: at that moment they do, and a second before they did not."""

from dataclasses import replace

from hypothesis import assume, given
from hypothesis import strategies as st

from scheduler.core.ledger import Ledger
from scheduler.core.model.entities import BudgetView, GroupId, Millis
from scheduler.core.model.reasons import ReasonCode
from scheduler.core.model.snapshot import Snapshot
from scheduler.core.quotas.budget import LATE_START_S_MIN
from tests.scheduler.scenario import snapshot_of

DAY_S = 86_400


@st.composite
def sites(draw: st.DrawFn) -> Snapshot:
    """Return work of some cards and hours under budgets whose periods end at the same midnights."""
    cards, limit_s = draw(st.integers(1, 64)), draw(st.integers(60, 10 * DAY_S))
    return with_budgets(draw, f"x: {cards} cards, limit {limit_s}")


@st.composite
def sites_with_open_ends(draw: st.DrawFn) -> Snapshot:
    """Return the same of work with an open end, beside such work, or both."""
    cards, running = draw(st.integers(1, 8)), draw(st.integers(0, 4))
    limit_s = draw(st.integers(60, 10 * DAY_S))
    ends = "open end" if not running or draw(st.booleans()) else f"limit {limit_s}"
    runs = f"web: {running} cards on n1, open end"
    return with_budgets(draw, f"x: {cards} cards, {ends}", runs if running else "")


def with_budgets(draw: st.DrawFn, waiting: str, running: str = "") -> Snapshot:
    """Return a site with some budgets."""
    base = snapshot_of(
        {"nodes": ["n1: 64 cards"], "waiting": [waiting], "running": [running] if running else []}
    )
    tonight = draw(st.integers(1, DAY_S))
    budgets = []
    for days in draw(st.lists(st.sampled_from([1, 7]), min_size=1, max_size=3)):
        first = tonight + DAY_S * draw(st.integers(0, days - 1))
        limit = draw(st.integers(1, 200 * 3600))
        budgets.append(
            BudgetView(
                group=GroupId("lab"),
                pool=None,
                limit=limit,
                used=draw(st.integers(0, limit)),
                ends_at=Millis(base.taken_at + first * 1000),
                later_ends=tuple(
                    Millis(base.taken_at + (first + days * DAY_S * more) * 1000)
                    for more in range(1, 21 // days)
                ),
            )
        )
    return replace(base, budgets=tuple(budgets))


def at(site: Snapshot, moment: Millis) -> Snapshot:
    """Return the site at a later moment, at which nothing has happened but the time that has passed."""
    budgets, rate = [], sum(work.request.gpus for work in site.running)
    for row in site.budgets:
        ends = (row.ends_at, *row.later_ends)
        over = sum(end <= moment for end in ends)
        present, begun = ends[over:], (site.taken_at, *ends)[over]
        budgets.append(
            replace(
                row,
                used=(0 if over else row.used) + rate * (moment - begun) // 1000,
                ends_at=present[0],
                later_ends=present[1:],
            )
        )
    return replace(site, taken_at=moment, budgets=tuple(budgets))


@given(sites())
def test_work_may_start_when_it_is_said_and_not_before(site: Snapshot) -> None:
    assert_starts_when_it_is_said(site)


@given(sites_with_open_ends())
def test_budgets_open_for_and_beside_open_ends_when_it_is_said(site: Snapshot) -> None:
    assert_starts_when_it_is_said(site)


def assert_starts_when_it_is_said(site: Snapshot) -> None:
    work = site.pending[0]
    now = site.taken_at
    budgets = Ledger(site).quotas.budgets
    opens = budgets.opens_at(work, now)
    if any(reason.code is ReasonCode.NEVER_FITS_BUDGET for reason in budgets.refusals(work)):
        assert budgets.permanent_refusals(work)
        return
    assert not budgets.permanent_refusals(work)
    assume(opens is not None)
    assert opens is not None
    assert Ledger(at(site, opens)).quotas.budgets.refusals(work) == ()
    if opens > now:
        before = Millis(max(now, opens - 1000))
        assert Ledger(at(site, before)).quotas.budgets.refusals(work)


@given(sites())
def test_of_any_period_only_what_lasts_too_short_is_never(site: Snapshot) -> None:
    work = site.pending[0]
    rate, whole_s = work.request.gpus, work.time_limit_s or 0
    never = Ledger(site).quotas.budgets.permanent_refusals(work)
    too_small = [
        row
        for row in site.budgets
        if rate * whole_s > row.limit and row.limit * 1000 // (rate * 1000) < LATE_START_S_MIN
    ]
    assert len(never) == len(too_small)


def test_without_what_comes_after_nothing_is_promised() -> None:
    site = snapshot_of(
        {
            "nodes": ["n1: 8 cards"],
            "budgets": ["lab: 7200 of 7200 card-seconds, ends in 3600 s"],
            "waiting": ["large: 8 cards, limit 86400", "small: 1 cards, limit 600"],
        }
    )
    large, small = site.pending
    budgets = Ledger(site).quotas.budgets
    assert budgets.opens_at(large, site.taken_at) is None
    assert budgets.opens_at(small, site.taken_at) == site.budgets[0].ends_at
