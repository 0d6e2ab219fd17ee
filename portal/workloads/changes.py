"""Changing work after it was submitted: held to the same limits as a submission, in one transaction.

Work that waits, and a stopped notebook, may change as a whole; of work that has begun only its name and its time
limit, which is in force at once: the sweep, the next plan and the node read the same column.
"""

from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from typing import Any, Final
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet

from portal.audit import services as audit
from portal.catalog.models import Image
from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.clock import now
from portal.common.errors import ConflictError, InvalidError
from portal.common.notifications import wake_nodes
from portal.inventory.models import Pool
from portal.quotas.priorities import PRIORITY_NAMES
from portal.tenancy import policies
from portal.workloads import selectors
from portal.workloads.errors import ConcurrentChangeError
from portal.workloads.models import Workload
from portal.workloads.request_columns import REQUEST_COLUMNS, columns_of, request_of
from portal.workloads.retry import RestartRule, parse_restart_policy
from portal.workloads.start_accuracy import forget_expected_start
from portal.workloads.state import allocations, lifecycle
from portal.workloads.state.budget_check import find_extension_refusal
from portal.workloads.state.changes import preview_change, write_change
from portal.workloads.submission import admission
from portal.workloads.submission.change_notes import describe_change
from portal.workloads.submission.dry_run import as_pending
from portal.workloads.submission.gpu_fractions import fit_request_to_pool
from portal.workloads.submission.rule_checks import (
    requested_fields,
    require_allowed,
    rules_of_place,
    without_devices,
)
from portal.workloads.submission.template_locks import require_unlocked
from portal.workloads.submission.time_limits import (
    Authority,
    Promises,
    RunTimeLimits,
    authority_over,
    authority_to_delay,
    find_delays,
    has_new_promise,
    load_run_time_limits,
    promises_for_system,
)
from scheduler.core.model.entities import Request
from scheduler.core.model.states import PLACED, WorkloadState

DEVICE_COLUMNS: Final = ("gpus", "slices", "gpu_milli", "gpu_memory_mib", "mig_profile")
"""What of a GPU a replica requests: one of these given replaces them all."""
TRIES: Final = 3
"""How often the promises that a longer limit would delay are looked for again, as new ones appear."""
_LABELS: Final = frozenset({"name"})
"""Say nothing of how it runs: they may change in every state."""
_PLAIN: Final = (*_LABELS, "priority", "priority_until", "time_limit_s", "preemptible")
_WHILE_BEGUN: Final = frozenset({*_LABELS, "time_limit_s"})
_WHILE_HELD: Final = frozenset({*_PLAIN} - {"preemptible"})
"""May change while an earlier attempt still holds devices, which are counted by the old values."""
_OPEN: Final = frozenset({WorkloadState.QUEUED, WorkloadState.SUSPENDED})


class PromisedMeanwhileError(ConcurrentChangeError):
    """A start was promised between the check and the commit."""


def change_workload(
    *, actor: Actor, workload_id: UUID, kind: str, changes: Mapping[str, Any]
) -> Workload:
    """Change what work asks for; what is left out stays, and a repetition changes nothing.

    `changes` are those of `WorkloadChangeInput`; `version`, if given, is the one that the caller saw.

    Raises:
        ConflictError: it has changed meanwhile, its state does not allow it, or a promise would break.
        InvalidError: a limit, the pool or a quota does not allow the new values.
    """
    seen = selectors.workload_visible_to(actor, workload_id, kind)
    policies.require(actor, Action.WORKLOAD_SUBMIT, seen.group_id, what="workload")
    policies.require(
        actor, Action.WORKLOAD_STOP, seen.group_id, owner_id=seen.owner_id, what="workload"
    )
    for _ in range(TRIES):
        promises = promises_for_system()
        needed = needed_to_extend(seen, changes.get("time_limit_s"), promises)
        with suppress(PromisedMeanwhileError):
            return _change(actor, seen, changes, needed, promises)
    raise ConcurrentChangeError("changed_meanwhile")


def needed_to_extend(
    workload: Workload, time_limit_s: int | None, promises: Promises | None = None
) -> Authority:
    """Return whose decision it is to delay what a longer limit of begun work would delay."""
    if time_limit_s is None or workload.state not in PLACED:
        return Authority.OWNER
    known = promises_for_system() if promises is None else promises
    delays = find_delays(workload, time_limit_s, known)
    return authority_to_delay(delays, workload.group_id)


@transaction.atomic
def _change(
    actor: Actor,
    seen: Workload,
    changes: Mapping[str, Any],
    to_delay: Authority,
    promises: Promises,
) -> Workload:
    named = changes.get("pool") or str(seen.pool_id)
    pool = admission.find_pool(named, seen.kind, is_locked=True)
    workload = lifecycle.lock_workload(seen.pk)
    before = {name: getattr(workload, name) for name in _COLUMNS}
    columns = {
        name: value
        for name, value in _new_columns(actor, workload, pool, changes).items()
        if before[name] != value
    }
    if not columns:
        return workload
    _require_version(workload, changes.get("version"))
    _require_open(workload, columns.keys())
    if "pool" not in changes and workload.pool_id != pool.pk:
        raise ConcurrentChangeError("changed_meanwhile")
    preview_change(workload, columns)
    if workload.priority > before["priority"]:
        admission.require_priority(actor, workload.group_id, workload.priority)
    _require_time(actor, workload, pool, before, to_delay)
    _require_size(workload, columns.keys())
    _require_rules(workload, pool, columns.keys())
    require_unlocked(actor, workload, columns.keys())
    _require_known_promises(workload, before["time_limit_s"], promises)
    write_change(workload, columns, describe_change(before, workload), actor=actor)
    forget_expected_start(workload.pk)
    if "time_limit_s" in columns:
        wake_nodes(item.node_id for item in allocations.live_allocations(workload))
    _audit(actor, workload, before, columns)
    return workload


_COLUMNS: Final = (*_PLAIN, *REQUEST_COLUMNS, "gpu_memory_ceiling_mib", "pool_id", "image_id")
"""Every column that a change may set."""


def _new_columns(
    actor: Actor, workload: Workload, pool: Pool, changes: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the columns that a change names, as its pool understands them."""
    columns = {name: changes[name] for name in _PLAIN if name in changes}
    if "priority" in changes:
        columns.setdefault("priority_until", None)
    if changes.get("image"):
        columns["image_id"] = admission.find_image(actor, changes["image"], workload.kind).pk
    is_moved = pool.pk != workload.pool_id and "pool" in changes
    sized = {name: changes[name] for name in REQUEST_COLUMNS if name in changes}
    if is_moved or sized or "gpu_memory_ceiling_mib" in changes:
        columns |= _fitted(workload, pool, sized, changes)
    if is_moved:
        columns["pool_id"] = pool.pk
    return columns


def _fitted(
    workload: Workload, pool: Pool, sized: Mapping[str, Any], changes: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the request columns after a change of size or pool."""
    own = request_of(workload)
    ceiling_mib = workload.gpu_memory_ceiling_mib
    if not sized.keys().isdisjoint(DEVICE_COLUMNS):
        own = replace(own, gpus=0, slices=0, gpu_milli=0, gpu_memory_mib=0, mig_profile="")
        ceiling_mib = None
    elif own.mig_profile:
        own = replace(own, slices=0)  # what its profile covers follows from the pool
    ceiling_mib = changes.get("gpu_memory_ceiling_mib", ceiling_mib)
    request: Request = fit_request_to_pool(pool, replace(own, **sized), ceiling_mib)
    return {
        **columns_of(request),
        "gpu_memory_ceiling_mib": ceiling_mib,
    }


def _require_version(workload: Workload, version: int | None) -> None:
    if version is not None and version != workload.version:
        raise ConcurrentChangeError("changed_meanwhile")


def _require_open(workload: Workload, columns: Collection[str]) -> None:
    """Refuse what the state of the work does not let change any more."""
    state = WorkloadState(workload.state)
    if "name" in columns and workload.array_id is not None:
        raise ConflictError("task_of_array")
    if _LABELS.issuperset(columns):
        return
    if state in PLACED and _WHILE_BEGUN.issuperset(columns):
        return
    if state not in _OPEN:
        code = "only_time_limit" if state in PLACED else "not_changeable"
        raise ConflictError(code, state=state.value)
    if not _WHILE_HELD.issuperset(columns) and allocations.live_allocations(workload):
        raise ConflictError("earlier_attempt_holds")


def _require_time(
    actor: Actor,
    workload: Workload,
    pool: Pool,
    before: Mapping[str, Any],
    to_delay: Authority,
) -> None:
    """Hold a new time limit, or that of a new pool, to what the actor may decide."""
    limit_s, more_s = workload.time_limit_s, _longer_s(workload, before["time_limit_s"])
    if limit_s is None:
        return
    if more_s < 0:
        _require_time_left(workload)
    if more_s <= 0 and workload.pool_id == before["pool_id"]:
        return
    limits = load_run_time_limits(workload.group_id, pool, workload.owner_id, workload.kind)
    has = authority_over(actor, workload)
    if has < limits.authority_for(limit_s):
        raise InvalidError("time_limit_too_long", pointer="/time_limit_s", max=_most_s(limits, has))
    if has < to_delay:
        raise ConflictError("would_delay_reservation")
    ends_at = _ends_at(workload, before["time_limit_s"])
    reason = find_extension_refusal(workload, ends_at, more_s) if ends_at else None
    if reason is not None:
        raise InvalidError(reason.code.value, pointer="/time_limit_s", **reason.params)


def _longer_s(workload: Workload, before_s: int | None) -> int:
    """Return how much longer than before it may run; nothing where its end is open."""
    after_s = workload.time_limit_s
    return 0 if after_s is None or before_s is None else after_s - before_s


def _require_known_promises(workload: Workload, before_s: int | None, promises: Promises) -> None:
    """Refuse to run longer beside a promise that was not looked at.

    Raises:
        PromisedMeanwhileError: it was published since; the caller looks again.
    """
    is_longer = workload.state in PLACED and _longer_s(workload, before_s) > 0
    if is_longer and has_new_promise(promises):
        raise PromisedMeanwhileError("changed_meanwhile")


def _most_s(limits: RunTimeLimits, authority: Authority) -> int:
    return limits.owner_s if authority is Authority.OWNER else limits.group_admin_s


def _require_time_left(workload: Workload) -> None:
    """Refuse a limit that has passed already: that would be a stop."""
    ends_at = _ends_at(workload, workload.time_limit_s)
    if ends_at is not None and ends_at <= now():
        raise InvalidError("time_limit_passed", pointer="/time_limit_s")


def _ends_at(workload: Workload, time_limit_s: int | None) -> Any:
    """Return when running work reaches a limit; None for work that does not run, or has none."""
    is_running = workload.state == WorkloadState.RUNNING
    if not is_running or workload.started_at is None or time_limit_s is None:
        return None
    return workload.started_at + timedelta(seconds=time_limit_s)


def _require_size(workload: Workload, columns: Collection[str]) -> None:
    """Refuse what no node or quota could grant, and what must not run twice as preemptible work."""
    rule = parse_restart_policy(workload.restart, workload.retries_max).rule
    if "preemptible" in columns and workload.preemptible and rule is RestartRule.NEVER:
        raise InvalidError("never_and_preemptible", pointer="/preemptible")
    if workload.replicas > 1 and "build" in workload.spec:
        raise InvalidError("build_on_one_node", pointer="/replicas")
    if not {"pool_id", *REQUEST_COLUMNS}.isdisjoint(columns):
        admission.require_possible(as_pending(workload))


def _require_rules(workload: Workload, pool: Pool, columns: Collection[str]) -> None:
    """Hold what changes to the rules of group and pool; time limits have a way beyond them."""
    asked: dict[str, Any] = {}
    if not {"pool_id", *REQUEST_COLUMNS}.isdisjoint(columns):
        asked |= requested_fields(workload)
        if workload.mig_profile:
            del asked["slices"]  # what the profile covers
    if "build" in workload.spec:
        asked = without_devices(asked)
    else:
        asked |= {"preemptible": workload.preemptible} if "preemptible" in columns else {}
        asked |= {"image": workload.image.name} if "image_id" in columns else {}
        if "priority" in columns:
            asked["priority"] = PRIORITY_NAMES[workload.priority]
    if asked:
        require_allowed(rules_of_place(workload.kind, workload.group_id, pool.pk), asked)


def _audit(
    actor: Actor, workload: Workload, before: Mapping[str, Any], columns: Mapping[str, Any]
) -> None:
    audit.record_event(
        actor=actor,
        action="workload.change",
        object_type=workload.kind,
        object_id=workload.pk,
        group_id=workload.group_id,
        params={
            "name": workload.name,
            "before": _named({name: before[name] for name in columns}),
            "after": _named(columns),
        },
    )


def _named(columns: Mapping[str, Any]) -> dict[str, Any]:
    """Return columns as people know them: pool and image by their names."""
    said = {name: _plain(value) for name, value in columns.items()}
    tables: dict[str, QuerySet[Any, str]] = {
        "pool_id": Pool.objects.values_list("name", flat=True),
        "image_id": Image.objects.values_list("name", flat=True),
    }
    for column in tables.keys() & said.keys():
        found = tables[column].filter(pk=said.pop(column)).first()
        said[column.removesuffix("_id")] = found or ""
    return said


def _plain(value: Any) -> Any:
    """Return a value as JSON can hold it."""
    return value if value is None or isinstance(value, bool | int | str) else str(value)
