"""The closed list of reasons for which a workload waits or is refused, with their numbers.

A reason is a code with integer or string parameters; the front end, the CLI or the problem document
words it in the reader's language.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Final


class ReasonCode(StrEnum):
    """Why not now. The codes never change; their order is from hardest to softest.

    Parameters stand in braces. `resource` of a quota is a `Resource` and its amounts are in that
    unit (thousandths or MiB); `resource` of a capacity reason is `gpus`, `slices` or `replicas`
    (counted), `share` (thousandths of one card), `cpu` (milli), `gpu_memory` or `memory` (MiB).
    """

    NEVER_FITS = "never_fits"
    """{resource, requested, most}: what the best node of the pool has when it is empty."""
    NO_MATCHING_MODEL = "no_matching_model"
    """{model, pool, installed}: what the cards are chosen by; so many such cards are out of service,
    or none is there at all.
    """
    NO_BUDGET = "no_budget"
    """{group, pool}: a budget of nothing; no pool is all."""
    NEVER_FITS_BUDGET = "never_fits_budget"
    """{group, pool, requested, limit}: GPU-seconds, or texts such as `12.50 CNY`; no period lasts for it."""
    ISOLATION_UNAVAILABLE = "isolation_unavailable"
    """{isolation, resource, requested, most}: what the cards that enforce it have when empty."""
    OWNER_MAY_NOT_SUBMIT = "owner_may_not_submit"
    """Its owner has left the group, lost the role or the account there."""
    HELD_AFTER_EVICTIONS = "held_after_evictions"
    """It was evicted several times in a row without progress."""
    HELD_BY_USER = "held_by_user"
    HELD_BY_GROUP_ADMIN = "held_by_group_admin"
    HELD_BY_OPERATOR = "held_by_operator"
    HELD_FOR_NEW_OWNER = "held_for_new_owner"
    """It was handed over; the person who has it now has not agreed yet."""
    PORTAL_RECOVERING = "portal_recovering"
    """The portal was restored from a backup, and nodes that may run this work have not spoken yet."""
    WAITING_FOR_BEGIN_TIME = "waiting_for_begin_time"
    """{begins_at}: it may not start before (milliseconds)."""
    DEPENDENCY_NOT_SUCCEEDED = "dependency_not_succeeded"
    """{jobs}: so many that it depends on have not succeeded yet."""
    DEPENDENCY_NOT_ENDED = "dependency_not_ended"
    """{jobs}"""
    DEPENDENCY_NOT_STARTED = "dependency_not_started"
    """{jobs}"""
    POOL_CLOSED = "pool_closed"
    """{pool}"""
    QUOTA_CEILING = "quota_ceiling"
    """{group, pool, resource, used, requested, limit}: of the group or one above it; no pool is all."""
    QUOTA_USER_CEILING = "quota_user_ceiling"
    """{group, pool, resource, used, requested, limit}: of one member."""
    QUOTA_BUDGET = "quota_budget"
    """{group, pool, used, promised, requested, limit}: GPU-seconds, or texts such as `12.50 CNY`;
    promised is committed to running work.
    """
    BUDGET_NO_PRICE = "budget_no_price"
    """{group, pool, currency, model}: models without a price, which a budget of money cannot count."""
    USER_COUNTER = "user_counter"
    """{counter, used, limit}"""
    ARRAY_TASK_LIMIT = "array_task_limit"
    """{used, limit}: tasks of its array that may run at once."""
    OVER_DESERVED_NOT_LENDABLE = "over_deserved_not_lendable"
    """{group, pool, resource, used, requested, limit, promise}: more is promised to other groups, as
    `guarantee` (no other work may use it) or as `deserved` (only work that can be evicted may).
    """
    POOL_HAS_NO_NODES_YET = "pool_has_no_nodes_yet"
    """{pool}: nothing is known of its hardware, so whatever is asked of it may fit one day."""
    NODE_UNAVAILABLE = "node_unavailable"
    """{resource, requested, most}: what the healthy nodes have when they are empty."""
    HOME_UNAVAILABLE = "home_unavailable"
    """Its files are on certain nodes only, and these are full or out of service."""
    BUILDER_UNAVAILABLE = "builder_unavailable"
    """Only certain nodes can build images, and these are full or out of service; or its pool has none."""
    VOLUME_OVER_QUOTA = "volume_over_quota"
    """{volume, used_mib, quota_mib}: it would write to a volume that is at its quota."""
    DATASET_UNAVAILABLE = "dataset_unavailable"
    """{dataset}: no node that could run it has that data set."""
    BEHIND_OPEN_END = "behind_open_end"
    """{pool}: work without a time limit holds there what this work needs; it has no expected start."""
    GANG_INCOMPLETE = "gang_incomplete"
    """{placeable, ranks}; this and the next two add {instead}: the models of cards on which it would
    start now, if it asked for those.
    """
    FRAGMENTED = "fragmented"
    """{resource, requested, free, largest}: enough is free, but not on one node or card."""
    INSUFFICIENT_NOW = "insufficient_now"
    """{resource, requested, free}"""
    RESERVED = "reserved"
    """{pool, from_at, until_at, reservation}: enough is free, but an advance reservation needs it within the
    work's time limit (milliseconds); its name, if it is for the work's own group.
    """
    BEHIND_RESERVATION = "behind_reservation"
    """{pool, position}: the place in the queue for which the free capacity is reserved."""
    WAITING_FOR_EVICTION = "waiting_for_eviction"
    """{allocations}: of an earlier attempt, not yet proven gone; or of work evicted for it."""
    PROTECTED_RUN_TIME = "protected_run_time"
    """{workloads, protected_s, ends_at}: running work will be evicted for it, but every start is
    protected for so long; the last of them from `ends_at` on no more (milliseconds).
    """
    WAITING_TO_RETRY = "waiting_to_retry"
    """{retry_at}: the pause after a failure that its own rule asks for (milliseconds)."""
    WAITING_FOR_CALENDAR = "waiting_for_calendar"
    """{pool, opens_at}: that pool lends its cards from then on (milliseconds; 0 is never)."""
    SCHEDULER_DOWN = "scheduler_down"


SEVERITY: Final[Mapping[ReasonCode, int]] = MappingProxyType(
    {code: rank for rank, code in enumerate(ReasonCode)}
)
"""Rank in which reasons are shown: what the user must change first comes first."""

ReasonParams = Mapping[str, int | str]


@dataclass(frozen=True, slots=True)
class Reason:
    """One fact that keeps a workload from starting, with the numbers that prove it."""

    code: ReasonCode
    params: ReasonParams = field(default_factory=dict)

    def as_json(self) -> dict[str, object]:
        """Return the wire form `{"code": …, "params": {…}}`."""
        return {"code": self.code.value, "params": dict(self.params)}


_ENDING_AT: Final[Mapping[ReasonCode, str]] = MappingProxyType(
    {
        ReasonCode.WAITING_FOR_BEGIN_TIME: "begins_at",
        ReasonCode.WAITING_TO_RETRY: "retry_at",
    }
)
"""Reasons that end at a moment, with the parameter that names it."""


NOT_ELIGIBLE: Final = frozenset(
    {
        ReasonCode.OWNER_MAY_NOT_SUBMIT,
        ReasonCode.HELD_AFTER_EVICTIONS,
        ReasonCode.HELD_BY_USER,
        ReasonCode.HELD_BY_GROUP_ADMIN,
        ReasonCode.HELD_BY_OPERATOR,
        ReasonCode.HELD_FOR_NEW_OWNER,
        ReasonCode.WAITING_FOR_BEGIN_TIME,
        ReasonCode.DEPENDENCY_NOT_SUCCEEDED,
        ReasonCode.DEPENDENCY_NOT_ENDED,
        ReasonCode.DEPENDENCY_NOT_STARTED,
    }
)
"""Reasons of work that has no place in the queue yet: none that has one waits behind it."""


def held_until(reasons: tuple[Reason, ...]) -> int | None:
    """Return when the last of these reasons ends (milliseconds); None if one ends at no known time."""
    moments = [
        int(reason.params[_ENDING_AT[reason.code]])
        for reason in reasons
        if reason.code in _ENDING_AT
    ]
    return max(moments) if moments and len(moments) == len(reasons) else None


def sort_by_severity(reasons: tuple[Reason, ...]) -> tuple[Reason, ...]:
    """Order reasons for display: hardest first, ties in the order they were found."""
    if len(reasons) < 2:
        return reasons
    return tuple(sorted(reasons, key=lambda reason: SEVERITY[reason.code]))
