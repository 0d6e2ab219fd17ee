"""The planted bugs: each rule must be broken by the one that it is there for."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

from scheduler.core import reserve_devices
from scheduler.core.actions import allocate, clear_reserved, evictions, reclaim
from scheduler.core.capacity.reserved_devices import ReservedCapacity
from scheduler.core.model.card_kind import device_memory_mib
from scheduler.core.model.plan import EvictionPlans
from scheduler.core.model.policy import OVER_QUOTA_WEIGHTS, OverQuotaWeight
from scheduler.core.ordering import queue_order
from scheduler.core.quotas import decayed_usage, division, fair_share, quota_book, reclaim_rule
from scheduler.core.quotas.budget import BudgetBook
from scheduler.core.quotas.demand import DemandTable
from scheduler.core.quotas.fair_share import ResourceShare
from scheduler.core.quotas.promises import PromiseBook, PromiseLine, build_promise_books
from scheduler.core.reservation import expected_start
from scheduler.core.reservation.quota_timeline import QuotaTimeline
from scheduler.core.timeline.node_reservation import FREE_NOW


@dataclass(frozen=True)
class Bug:
    """One mistake, and the rule that must notice it."""

    name: str
    breaks: str
    plant: Callable[[pytest.MonkeyPatch], None]


def _pours_the_rest_to_everybody(patch: pytest.MonkeyPatch) -> None:
    """Rounds every part up, not only as many as there are units left."""
    real = division._fill

    def fill(amount: int, room: Any, weights: Any) -> Any:
        return {
            group: min(part + 1, room[group]) for group, part in real(amount, room, weights).items()
        }

    patch.setattr(division, "_fill", fill)


def _forgets_the_ceiling(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(division.GroupDemand, "limit", property(lambda claim: claim.requested + 1000))


def _gives_the_light_more(patch: pytest.MonkeyPatch) -> None:
    upside_down = {OverQuotaWeight.HIGH: 1, OverQuotaWeight.MEDIUM: 2, OverQuotaWeight.LOW: 4}
    patch.setattr(division, "OVER_QUOTA_WEIGHTS", OVER_QUOTA_WEIGHTS | upside_down)


def _never_reclaims(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(reclaim, "can_reclaim", lambda *_: False)


def _takes_from_anybody(patch: pytest.MonkeyPatch) -> None:
    """Looks at what the taker deserves, not at what the loser does."""
    patch.setattr(reclaim_rule, "_may_lose", lambda *_, **__: True)


def _takes_beyond_its_share(patch: pytest.MonkeyPatch) -> None:
    """Does not count what the taker is about to hold."""
    patch.setattr(reclaim_rule, "_with", lambda share, _more: share._replace(allocated=0))
    patch.setattr(reclaim_rule, "_is_above", lambda share, **_: share.allocated > 0)


def _promises_nothing(patch: pytest.MonkeyPatch) -> None:
    """Smaller work passes the first in line for ever."""
    patch.setattr(allocate._PoolScan, "reserve", lambda *_: None)


def _charges_nobody(patch: pytest.MonkeyPatch) -> None:
    """Everybody who is called stands as before: a burst goes through in one piece."""
    patch.setattr(queue_order, "_taken_before", lambda child, _cards: np.zeros_like(child))


def _looks_behind_the_head(patch: pytest.MonkeyPatch) -> None:
    """Sorts by each work's own rank, though an older one of the same line must go first."""
    real = queue_order._merged

    def merged(order: Any, child: Any, ranks: Any, parent: Any) -> Any:
        real(order, child, ranks, parent)
        return order[np.lexsort((order, *ranks, parent))]

    patch.setattr(queue_order, "_merged", merged)


def _lets_priority_cross(patch: pytest.MonkeyPatch) -> None:
    real = queue_order._by_groups

    def by_groups(order: Any, queue: Any, depth: int, standing: Any) -> Any:
        merged = real(order, queue, depth, standing)
        return merged[np.argsort(-queue.priority[merged], kind="stable")]

    patch.setattr(queue_order, "_by_groups", by_groups)


def _lets_ranks_cross(patch: pytest.MonkeyPatch) -> None:
    """Takes the rank that a group gave its work for one of the whole line."""
    patch.setattr(
        queue_order,
        "_by_group_ranks",
        lambda order, queue: order[np.argsort(queue.group_rank[order], kind="stable")],
    )


def _lends_guarantees(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(PromiseLine, "is_set_aside", lambda *_, **__: False)


def _forgets_who_is_firm(patch: pytest.MonkeyPatch) -> None:
    """Lends what cannot be taken back."""

    def build(snapshot: Any, journal: Any) -> Any:
        kept, _ = build_promise_books(snapshot, journal)
        return kept, PromiseBook({})

    patch.setattr(quota_book, "build_promise_books", build)


def _forgets_what_runs(patch: pytest.MonkeyPatch) -> None:
    """Counts what was used of a budget, not what running work may still use."""
    patch.setattr(BudgetBook, "commit", lambda *_: None)


def _adds_without_fading(patch: pytest.MonkeyPatch) -> None:
    """Counts a step's use in full, however long the step was."""

    def accrue(amount: int, cards: int, elapsed_s: int, half_life_s: int) -> int:
        return decayed_usage.decay(amount, elapsed_s, half_life_s) + cards * elapsed_s

    patch.setattr(decayed_usage, "accrue", accrue)


def _fades_in_a_straight_line(patch: pytest.MonkeyPatch) -> None:
    def left(elapsed_s: int, half_life_s: int) -> int:
        return max(decayed_usage._ONE - decayed_usage._ONE * elapsed_s // (2 * half_life_s), 0)

    patch.setattr(decayed_usage, "_left", left)


def _fairer_than_fair(patch: pytest.MonkeyPatch) -> None:
    """Cuts a promise to what a flat split would give."""
    real = fair_share._demand

    def demand(group: Any, share: ResourceShare, _more: int) -> Any:
        return real(group, share._replace(deserved=0, guarantee=0), 0)

    patch.setattr(fair_share, "_demand", demand)


def _promises_only_in_pools(patch: pytest.MonkeyPatch) -> None:
    """Keeps what single pools promise, and nothing of what is promised over all of them."""
    patch.setattr(PromiseBook, "lines_over", lambda book, pool: book._of_pool[pool])


def _claims_only_in_pools(patch: pytest.MonkeyPatch) -> None:
    """Lets a group take back what a pool promises it, and nothing of what is promised over all."""
    real = reclaim_rule._stays_within_deserved

    def stays(shares: Any, *given: Any) -> bool:
        return real(replace(shares, all_pools={}), *given)

    patch.setattr(reclaim_rule, "_stays_within_deserved", stays)


def _takes_what_all_pools_promise(patch: pytest.MonkeyPatch) -> None:
    """Spares only what a group holds of the pool's own promise."""
    real = reclaim_rule._may_lose

    def may_lose(shares: Any, *given: Any, **named: Any) -> bool:
        return real(replace(shares, all_pools={}), *given, **named)

    patch.setattr(reclaim_rule, "_may_lose", may_lose)


def _looks_for_lower_priority_at_home(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(evictions._EvictionPlanner, "_holders_of", lambda *_: [])


def _sees_no_memory_of_cards(patch: pytest.MonkeyPatch) -> None:
    """Counts slices and shares only."""
    patch.setattr(DemandTable, "_smallest_mib", lambda *_: 0)


def _counts_the_smallest_card_for_each(patch: pytest.MonkeyPatch) -> None:
    """Counts what work asked for, not the devices that it got."""
    patch.setattr(DemandTable, "_holds_devices_by_memory", lambda *_: False)


def _asks_for_the_largest_card(patch: pytest.MonkeyPatch) -> None:
    def largest(table: Any, request: Any, pool: Any) -> int:
        kinds = table.kinds_for(request, pool)
        return max((device_memory_mib(kind, request) for kind in kinds), default=0)

    patch.setattr(DemandTable, "_smallest_mib", largest)


def _forgets_what_is_promised(patch: pytest.MonkeyPatch) -> None:
    """Plays the queue in its order only, as if nothing had been promised."""
    real = expected_start._PoolEstimate.__init__

    def init(estimate: Any, *given: Any) -> None:
        real(estimate, *given)
        estimate._promised = {}

    patch.setattr(expected_start._PoolEstimate, "__init__", init)


def _stays_however_long(patch: pytest.MonkeyPatch) -> None:
    """Work starts on reserved devices however long it may stay."""
    patch.setattr(ReservedCapacity, "level", lambda *_: 0)


def _lets_everything_stay(patch: pytest.MonkeyPatch) -> None:
    """Nothing leaves before a window opens."""
    patch.setattr(evictions, "find_overstaying", lambda *_: ())


def _gives_notice_too_late(patch: pytest.MonkeyPatch) -> None:
    """The notice is given when the window opens, not so long before."""
    patch.setattr(clear_reserved, "is_notice_due", lambda edge, _, now: now >= edge)


def _breaks_promises_for_a_reservation(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(reserve_devices, "_find_late", lambda *_: (set(), ()))


def _takes_cards_in_use(patch: pytest.MonkeyPatch) -> None:
    """A card that replaces another may be one on which work stays."""
    patch.setattr(reserve_devices, "_find_taken", lambda *_: {})


def _takes_a_model_for_free(patch: pytest.MonkeyPatch) -> None:
    """What runs holds nothing of the quotas of models."""
    patch.setattr(QuotaTimeline, "_freed", lambda *_: FREE_NOW)


def _knows_no_end_of_a_model(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(QuotaTimeline, "by_model", lambda *_: iter(()))


def _forgets_who_leaves(patch: pytest.MonkeyPatch) -> None:
    """Expects everything to run to its time limit, also what is evicted."""
    real = expected_start._Departures.__init__

    def init(departures: Any, ledger: Any, _plans: Any) -> None:
        real(departures, ledger, EvictionPlans())

    patch.setattr(expected_start._Departures, "__init__", init)


BUGS = [
    Bug(plant.__name__.strip("_"), breaks, plant)
    for plant, breaks in (
        (_pours_the_rest_to_everybody, "shares_never_exceed_what_there_is"),
        (_forgets_the_ceiling, "shares_never_exceed_what_there_is"),
        (_fairer_than_fair, "shares_never_exceed_what_there_is"),
        (_gives_the_light_more, "more_weight_is_never_less"),
        (_never_reclaims, "nobody_below_deserved_waits_while_another_is_above"),
        (_takes_from_anybody, "reclaim_between_groups_comes_to_an_end"),
        (_takes_beyond_its_share, "reclaim_between_groups_comes_to_an_end"),
        (_promises_nothing, "the_head_of_the_queue_starts"),
        (_charges_nobody, "a_burst_does_not_take_anothers_turn"),
        (_looks_behind_the_head, "the_line_is_formed_one_by_one"),
        (_lets_priority_cross, "priority_does_not_cross_groups"),
        (_lets_ranks_cross, "a_group_orders_its_own_work_only"),
        (_lends_guarantees, "guarantees_are_left_free"),
        (_forgets_who_is_firm, "firm_work_leaves_what_others_deserve"),
        (_promises_only_in_pools, "guarantees_of_all_scopes_are_left_free"),
        (_lends_guarantees, "guarantees_of_all_scopes_are_left_free"),
        (_promises_only_in_pools, "firm_work_leaves_what_others_deserve_anywhere"),
        (_claims_only_in_pools, "nobody_below_deserved_anywhere_waits_while_another_is_above"),
        (_takes_what_all_pools_promise, "reclaim_across_pools_comes_to_an_end"),
        (_looks_for_lower_priority_at_home, "lower_priority_leaves_wherever_it_runs"),
        (_sees_no_memory_of_cards, "no_more_is_held_than_the_ceilings_allow"),
        (_counts_the_smallest_card_for_each, "the_ledger_counts_device_by_device"),
        (_asks_for_the_largest_card, "memory_refuses_only_where_no_card_is_small_enough"),
        (_forgets_what_is_promised, "expected_starts_contradict_no_promise"),
        (_forgets_who_leaves, "expected_starts_contradict_no_promise"),
        (_stays_however_long, "only_its_group_is_inside_an_open_window"),
        (_lets_everything_stay, "only_its_group_is_inside_an_open_window"),
        (_gives_notice_too_late, "only_its_group_is_inside_an_open_window"),
        (_breaks_promises_for_a_reservation, "no_promised_start_gets_later_by_a_reservation"),
        (_takes_cards_in_use, "a_replaced_device_breaks_no_promise"),
        (_takes_a_model_for_free, "waits_for_a_model_name_their_end"),
        (_knows_no_end_of_a_model, "waits_for_a_model_name_their_end"),
        (_forgets_what_runs, "budgets_last_to_the_end"),
        (_adds_without_fading, "fading_use_is_right_within_two_percent"),
        (_fades_in_a_straight_line, "fading_use_is_right_within_two_percent"),
    )
]
