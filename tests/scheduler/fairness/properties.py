"""What fairness means, each rule as one check on a generated world; raises AssertionError."""

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from hypothesis import strategies as st

from scheduler.core.cycle import run_cycle
from scheduler.core.ledger import Ledger
from scheduler.core.model.entities import (
    GroupId,
    Millis,
    PendingWorkload,
    RunningWorkload,
    UserId,
    WorkloadId,
)
from scheduler.core.model.policy import OverQuotaWeight, PoolPolicy
from scheduler.core.model.reasons import ReasonCode
from scheduler.core.model.resources import Resource
from scheduler.core.model.snapshot import Snapshot
from scheduler.core.ordering.fair_share_state import FairShareState
from scheduler.core.ordering.queue_order import sort_queue
from scheduler.core.quotas.decayed_usage import UsageMeter, accrue, decay
from scheduler.core.quotas.demand import DemandTable, scope_capacities
from scheduler.core.quotas.division import GroupDemand, divide_fairly
from scheduler.core.quotas.fair_share import FairShares
from scheduler.core.quotas.reclaim_rule import can_reclaim
from tests.scheduler.core.actions.worlds import worlds as crowded_sites
from tests.scheduler.counting import after, recounted
from tests.scheduler.fairness import (
    advance_reservations,
    all_pools,
    expected_starts,
    gpu_memory,
    model_starts,
    priority,
)
from tests.scheduler.fairness.one_by_one import called_one_by_one
from tests.scheduler.fairness.play import settled
from tests.scheduler.fairness.worlds import NOW, PERIOD_END, POOL, budgeted, paths, worlds

CARD = 1000
A = GroupId("a")


@dataclass(frozen=True)
class Property:
    """A rule, and what it is checked on."""

    check: Callable[[Any], None]
    worlds: st.SearchStrategy[Any]

    @property
    def name(self) -> str:
        return self.check.__name__


def shares_never_exceed_what_there_is(snapshot: Snapshot) -> None:
    """Level by level; what is promised and asked for is given first; nothing useful is left over."""
    shares = FairShares.from_snapshot(snapshot)
    line = shares.shares[POOL, Resource.GPU]
    children: dict[GroupId | None, list[GroupId]] = {}
    for group, path in shares.paths.items():
        children.setdefault(path[-2] if len(path) > 1 else None, []).append(group)
    for parent, groups in children.items():
        top = max(scope_capacities(snapshot)[POOL, Resource.GPU], _allocated(line, groups))
        there_is = line[parent].fair_share if parent else top
        given = sum(line[group].fair_share for group in groups)
        assert given <= there_is
        for group in groups:
            share = line[group]
            most = share.requested
            assert min(share.deserved, most) <= share.fair_share <= most
            if given < there_is and share.weight is not OverQuotaWeight.NONE:
                assert share.fair_share == most, "somebody wants what nobody gets"


def _allocated(line: Any, groups: list[GroupId]) -> int:
    return sum(line[group].allocated for group in groups)


_BY_WEIGHT = [
    OverQuotaWeight.NONE,
    OverQuotaWeight.LOWEST,
    OverQuotaWeight.LOW,
    OverQuotaWeight.MEDIUM,
    OverQuotaWeight.HIGH,
]

claims = st.lists(
    st.builds(
        lambda requested, guarantee, more, room, weight: GroupDemand(
            group=GroupId(""),
            requested=requested,
            guarantee=guarantee,
            deserved=guarantee + more,
            ceiling=None if room is None else guarantee + more + room,
            weight=weight,
        ),
        st.integers(0, 40),
        st.integers(0, 5),
        st.integers(0, 8),
        st.none() | st.integers(0, 20),
        st.sampled_from(_BY_WEIGHT),
    ),
    min_size=2,
    max_size=6,
)


def more_weight_is_never_less(case: tuple[int, list[GroupDemand]]) -> None:
    """Nor more than what there is; and a heavier sister with the same claim gets no less."""
    amount, drawn = case
    line = [replace(claim, group=GroupId(f"g{place}")) for place, claim in enumerate(drawn)]
    before = divide_fairly(amount, line)
    assert sum(before.values()) <= amount
    for place, claim in enumerate(line):
        rank = _BY_WEIGHT.index(claim.weight)
        for heavier in _BY_WEIGHT[rank + 1 :]:
            raised = [*line[:place], replace(claim, weight=heavier), *line[place + 1 :]]
            assert divide_fairly(amount, raised)[claim.group] >= before[claim.group]


def nobody_below_deserved_waits_while_another_is_above(snapshot: Snapshot) -> None:
    """After some cycles, and they come to rest: reclaim does not go to and fro."""
    rest = settled(snapshot, cycles_max=60)
    line = FairShares.from_snapshot(rest).shares[POOL, Resource.GPU]
    tree, quotas = paths(rest), Ledger(rest).quotas
    for work in rest.pending:
        lacks = all(line[g].allocated + CARD <= line[g].deserved for g in tree[work.group])
        limits = {reason.code for reason in quotas.refusals(work)}
        if not lacks or limits - {ReasonCode.OVER_DESERVED_NOT_LENDABLE}:
            continue
        for run in rest.running:
            apart = [group for group in tree[run.group] if group not in tree[work.group]]
            has_borrowed = apart and all(line[g].allocated > line[g].deserved for g in apart)
            assert not (run.preemptible and has_borrowed), (
                f"{work.id} of {work.group} waits for what {run.group} has borrowed"
            )


def reclaim_between_groups_comes_to_an_end(snapshot: Snapshot) -> None:
    """Moving cards as the rule allows never leads back, for work of any size."""
    shares = FairShares.from_snapshot(snapshot)
    everything: list[PendingWorkload | RunningWorkload] = [*snapshot.pending, *snapshot.running]
    works = {work.id: work for work in everything}
    running, demand = {run.id for run in snapshot.running}, DemandTable(snapshot)
    costs = {name: demand.total(work) for name, work in works.items()}
    for _ in range(80):
        takers = {
            (works[name].group, costs[name]): works[name] for name in sorted(works.keys() - running)
        }
        losers = {
            (works[name].group, costs[name]): works[name]
            for name in sorted(running)
            if works[name].preemptible
        }
        moves = (
            (taker, loser)
            for _, taker in sorted(takers.items(), key=str)
            for _, loser in sorted(losers.items(), key=str)
            if costs[loser.id].gpu >= costs[taker.id].gpu
        )
        for taker, loser in moves:
            if can_reclaim(shares, taker.group, loser.group, costs[taker.id], POOL):
                running = (running - {loser.id}) | {taker.id}
                shares = shares.with_allocation(loser.group, POOL, costs[loser.id], -1)
                shares = shares.with_allocation(taker.group, POOL, costs[taker.id])
                break
        else:
            return
    raise AssertionError("the same cards go round and round")


def the_head_of_the_queue_starts(snapshot: Snapshot) -> None:
    """Whoever is first starts at the latest when all that ran has ended, whatever waits behind.

    All belongs to one member: among several the head may change, as their use does.
    """
    quiet = PoolPolicy(preemption=False, reclaim=False)
    snapshot = replace(
        snapshot,
        pools=(replace(snapshot.pools[0], policy=quiet),),
        pending=tuple(replace(work, group=A, user=UserId("li")) for work in snapshot.pending),
        quotas=(),
        usage=(),
    )
    if not snapshot.pending:
        return
    head = sort_queue(snapshot.pending, FairShareState.from_snapshot(snapshot))[0].id
    latest = max((run.ends_at or NOW for run in snapshot.running), default=NOW)
    while snapshot.taken_at <= latest:
        now = snapshot.taken_at
        snapshot = after(snapshot, run_cycle(snapshot, now))
        if head not in {work.id for work in snapshot.pending}:
            return
        later = min(run.ends_at or now for run in snapshot.running)
        stay = tuple(run for run in snapshot.running if (run.ends_at or now) > later)
        snapshot = recounted(replace(snapshot, running=stay, taken_at=later))
    raise AssertionError(f"{head} was first in line and did not start when the others had ended")


def the_line_is_formed_one_by_one(snapshot: Snapshot) -> None:
    """The fast order is the slow one, whatever the order of the rows; nobody is lost."""
    standing = FairShareState.from_snapshot(snapshot)
    line = sort_queue(snapshot.pending, standing)
    assert line == called_one_by_one(snapshot.pending, standing)
    assert line == sort_queue(reversed(snapshot.pending), standing)


def a_burst_does_not_take_anothers_turn(snapshot: Snapshot) -> None:
    """Of two equal members the one who sends ten is called once before the one who sends one."""
    if not snapshot.pending:
        return
    model = replace(snapshot.pending[0], priority=0, user=UserId("li"), held=())
    burst = [replace(model, id=WorkloadId(f"burst-{n}")) for n in range(10)]
    late = Millis(model.submitted_at + 1)
    single = replace(model, id=WorkloadId("single"), user=UserId("wang"), submitted_at=late)
    bare = replace(snapshot, pending=(*burst, single), usage=(), running=())
    line = sort_queue(bare.pending, FairShareState.from_snapshot(bare))
    assert line[1].id == "single"


def priority_does_not_cross_groups(snapshot: Snapshot) -> None:
    """Whom a group sends first depends on its priorities; when its turn comes does not."""
    standing = FairShareState.from_snapshot(snapshot)
    alike = [replace(work, submitted_at=NOW, user=UserId("li")) for work in snapshot.pending]
    plain = [replace(work, priority=0) for work in alike]
    urgent = [replace(work, priority=100 if work.group == "a" else 0) for work in alike]
    turns = [[work.group == "a" for work in sort_queue(line, standing)] for line in (plain, urgent)]
    assert turns[0] == turns[1]


def a_group_orders_its_own_work_only(snapshot: Snapshot) -> None:
    """Ranks of one group's work change which of it goes first, and nobody's place in the line."""
    standing = FairShareState.from_snapshot(snapshot)
    ranked = [
        replace(work, group_rank=sum(map(ord, work.id)) % 5 - 2) if work.group == "a" else work
        for work in snapshot.pending
    ]
    plain = [work.id for work in sort_queue(snapshot.pending, standing)]
    line = sort_queue(ranked, standing)
    of = {work.id: work for work in ranked}
    turns = [
        [(of[key].pool, of[key].group) for key in each] for each in (plain, [w.id for w in line])
    ]
    assert turns[0] == turns[1]
    for owner in set(turns[0]):
        own = [of[key] for key in plain if (of[key].pool, of[key].group) == owner]
        wanted = sorted(own, key=lambda work: (-work.priority, work.group_rank))
        assert [work for work in line if (work.pool, work.group) == owner] == wanted


def guarantees_are_left_free(snapshot: Snapshot) -> None:
    """No start takes what an idle guarantee of another group needs."""
    before, then = _unkept(snapshot), _unkept(after(snapshot, run_cycle(snapshot, NOW)))
    assert then <= max(before, 0)


def _unkept(snapshot: Snapshot) -> int:
    """Return how much is held of what is guaranteed to others."""
    line = FairShares.from_snapshot(snapshot).shares[POOL, Resource.GPU]
    tops = [group for group, path in paths(snapshot).items() if len(path) == 1]
    needed = sum(max(line[group].guarantee, line[group].allocated) for group in tops)
    return needed - len(snapshot.accelerators) * CARD


def firm_work_leaves_what_others_deserve(snapshot: Snapshot) -> None:
    """What may not be preempted never keeps a group from what it deserves."""
    firm = tuple(replace(work, preemptible=False) for work in snapshot.pending)
    snapshot = replace(snapshot, pending=firm)
    before, then = _overdrawn(snapshot), _overdrawn(after(snapshot, run_cycle(snapshot, NOW)))
    assert then <= max(before, 0)


def _overdrawn(snapshot: Snapshot) -> int:
    firm: Counter[GroupId] = Counter()
    for run in snapshot.running:
        if not run.preemptible:
            firm[paths(snapshot)[run.group][0]] += run.request.gpus * CARD
    line = FairShares.from_snapshot(snapshot).shares[POOL, Resource.GPU]
    tops = [group for group, path in paths(snapshot).items() if len(path) == 1]
    needed = sum(max(line[group].deserved, firm[group]) for group in tops)
    return needed - len(snapshot.accelerators) * CARD


def budgets_last_to_the_end(snapshot: Snapshot) -> None:
    """If everything ran to its limit, no budget of the period would be exceeded by a new start."""
    then = after(snapshot, run_cycle(snapshot, NOW))
    started = {run.id for run in then.running} - {run.id for run in snapshot.running}
    for budget in then.budgets:
        mine = [run for run in then.running if budget.group in paths(then)[run.group]]
        ends = [min(run.ends_at or PERIOD_END, budget.ends_at) - NOW for run in mine]
        most = budget.used + sum(
            run.request.gpus * end // 1000 for run, end in zip(mine, ends, strict=True)
        )
        if any(run.id in started for run in mine):
            assert most <= budget.limit


HALF_LIFE_S = 24 * 3600

loads = st.lists(
    st.tuples(st.integers(60, 12 * 3600), st.integers(0, 32), st.integers(1, 6 * 3600)),
    min_size=4,
    max_size=40,
)


def fading_use_is_right_within_two_percent(load: list[tuple[int, int, int]]) -> None:
    """Two tenants alternate on 32 cards for three half-lives; the meter looks when it likes.

    The truth is the integral, in floating point. The error is a part of what holding all cards for
    ever would come to.
    """
    meter, users = UsageMeter((), Millis(0), HALF_LIFE_S), ("li", "wang")
    truth = dict.fromkeys(users, 0.0)
    now, place = 0, 0
    while now < 3 * HALF_LIFE_S:
        length, cards, look = load[place % len(load)]
        held = {users[place % 2]: cards, users[(place + 1) % 2]: 32 - cards}
        for user, amount in held.items():
            meter.hold(GroupId("lab"), UserId(user), amount * CARD, Millis(now * 1000))
            truth[user] = _faded(truth[user], amount, length)
        for moment in range(now + look, now + length, max(look, length // 3)):
            meter.usage(Millis(moment * 1000))
        now, place = now + length, place + 1
        for user, amount in held.items():
            meter.hold(GroupId("lab"), UserId(user), -amount * CARD, Millis(now * 1000))
    most = 32 * HALF_LIFE_S / math.log(2)
    for row in meter.usage(Millis(now * 1000)):
        assert abs(row.gpu_seconds - truth[row.user]) <= 0.02 * most


def _faded(used: float, cards: int, seconds: int) -> float:
    left = math.exp2(-seconds / HALF_LIFE_S)
    return used * left + cards * HALF_LIFE_S / math.log(2) * (1 - left)


def fading_twice_is_fading_once(case: tuple[int, int, int, int, int]) -> None:
    """For what is left and for what is added, to the unit, whenever one looks."""
    amount, cards, first, second, half_life = case
    at_once = decay(amount, first + second, half_life)
    in_steps = decay(decay(amount, first, half_life), second, half_life)
    assert abs(at_once - in_steps) <= 1
    held_at_once = accrue(amount, cards, first + second, half_life)
    held_in_steps = accrue(accrue(amount, cards, first, half_life), cards, second, half_life)
    assert abs(held_at_once - held_in_steps) <= 1
    held_for_ever = cards * half_life / math.log(2)
    assert accrue(0, cards, first, half_life) <= held_for_ever + 1


_seconds = st.integers(0, 90 * 24 * 3600)

PROPERTIES = [
    Property(shares_never_exceed_what_there_is, worlds((1, 2, 4))),
    Property(more_weight_is_never_less, st.tuples(st.integers(0, 60), claims)),
    Property(nobody_below_deserved_waits_while_another_is_above, worlds(busy=50)),
    Property(reclaim_between_groups_comes_to_an_end, worlds((1, 2, 4), waiting=3, busy=50)),
    Property(the_head_of_the_queue_starts, worlds((1, 1, 2, 4), waiting=6, busy=60)),
    Property(the_line_is_formed_one_by_one, worlds((0, 1, 3), waiting=5, held=True)),
    Property(a_burst_does_not_take_anothers_turn, worlds((1, 2), waiting=1)),
    Property(priority_does_not_cross_groups, worlds((1,))),
    Property(a_group_orders_its_own_work_only, worlds((0, 1, 3), waiting=8, held=True)),
    Property(guarantees_are_left_free, worlds((1, 2), waiting=6)),
    Property(firm_work_leaves_what_others_deserve, worlds((1, 2), waiting=6)),
    Property(all_pools.guarantees_of_all_scopes_are_left_free, all_pools.sites()),
    Property(all_pools.firm_work_leaves_what_others_deserve_anywhere, all_pools.sites(firm=True)),
    Property(
        all_pools.nobody_below_deserved_anywhere_waits_while_another_is_above,
        all_pools.sites(busy=50),
    ),
    Property(all_pools.reclaim_across_pools_comes_to_an_end, all_pools.sites(busy=50)),
    Property(priority.lower_priority_leaves_wherever_it_runs, crowded_sites(waiting_max=3)),
    *(
        Property(rule, gpu_memory.mixed_cards())
        for rule in (
            gpu_memory.no_more_is_held_than_the_ceilings_allow,
            gpu_memory.the_ledger_counts_device_by_device,
            gpu_memory.memory_refuses_only_where_no_card_is_small_enough,
        )
    ),
    Property(expected_starts.expected_starts_contradict_no_promise, expected_starts.busy_worlds()),
    Property(model_starts.waits_for_a_model_name_their_end, model_starts.worlds_of_models()),
    *(
        Property(rule, advance_reservations.reserved_worlds())
        for rule in (
            advance_reservations.only_its_group_is_inside_an_open_window,
            advance_reservations.no_promised_start_gets_later_by_a_reservation,
            advance_reservations.a_replaced_device_breaks_no_promise,
        )
    ),
    Property(budgets_last_to_the_end, budgeted()),
    Property(fading_use_is_right_within_two_percent, loads),
    Property(
        fading_twice_is_fading_once,
        st.tuples(
            st.integers(0, 10**15), st.integers(0, 10**8), _seconds, _seconds, st.integers(1, 10**7)
        ),
    ),
]
BY_NAME = {item.name: item for item in PROPERTIES}
