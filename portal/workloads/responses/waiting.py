"""The wait of one workload as the API shows it: holders of limits, ways out; others' work is redacted."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final
from uuid import UUID

from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.clock import from_millis
from portal.common.rest.projection import project
from portal.common.work_kinds import KINDS
from portal.inventory.models import Pool
from portal.tenancy import policies
from portal.workloads.models import Workload
from portal.workloads.responses.queue_status import present_start
from portal.workloads.responses.redaction import Viewer
from portal.workloads.responses.wait_shapes import WaitAnswer
from portal.workloads.start_accuracy import spreads_for_system
from portal.workloads.submission.waiting import Wait
from scheduler.core.dry_run import DryRunResult
from scheduler.core.explain.holders import HeldLimit, Holder
from scheduler.core.model.entities import PendingWorkload
from scheduler.core.model.plan import EstimateBasis
from scheduler.core.reservation.start_accuracy import Spreads
from scheduler.core.ways_out import WayOut, WayOutCode

HOLDERS_MAX: Final = 20
"""Holders of one limit that are named; the others are counted."""
_SIZES: Final = ("replicas", "gpus", "slices", "mig_profile")
"""Parts of a request that a way out may change."""
_FORMS: Final = ("time_limit_s", "preemptible")


def present_wait(wait: Wait | None, actor: Actor) -> dict[str, Any]:
    """Present the wait of a workload; an empty answer if it no longer waits."""
    if wait is None:
        return project(WaitAnswer, {"expected_start": None, "limits": [], "ways_out": []})
    viewer = Viewer.for_actor(actor)
    pool = UUID(wait.waiting.pool)
    source = {
        "expected_start": present_result_start(wait.result, spreads_for_system([pool]).get(pool)),
        "limits": present_limits(wait.result.limits, viewer),
        "ways_out": present_ways_out(wait.ways, viewer, of=wait.waiting, kind=wait.kind),
    }
    return project(WaitAnswer, source)


def present_result_start(result: DryRunResult, spreads: Spreads | None) -> Any:
    """Return the expected start of a result, in the range that such ones came true in."""
    return present_start(result.expected, spreads or {}) if result.expected else None


def present_limits(limits: Sequence[HeldLimit], viewer: Viewer) -> list[dict[str, Any]]:
    """Return each limit with the holders that the viewer may see, in one query."""
    rows = _rows(holder.workload for limit in limits for holder in limit.holders)
    return [_limit(limit, rows, viewer) for limit in limits]


def _limit(limit: HeldLimit, rows: Mapping[UUID, Workload], viewer: Viewer) -> dict[str, Any]:
    shown = []
    for holder in limit.holders:
        row = rows.get(UUID(holder.workload))
        if row is not None and (work := viewer.view(row)).id is not None:
            shown.append({"work": work, "amount": holder.amount, **_end(holder)})
    del shown[HOLDERS_MAX:]
    total = sum(holder.amount for holder in limit.holders)
    return {
        "reason": limit.reason.as_json(),
        "holders": shown,
        "others": len(limit.holders) - len(shown),
        "others_amount": total - sum(item["amount"] for item in shown),
    }


def _end(holder: Holder) -> dict[str, Any]:
    end = holder.ends_at if holder.expected_end is None else holder.expected_end
    basis = EstimateBasis.LIMITS if holder.expected_end is None else EstimateBasis.PREDICTIONS
    return {"ends_at": None if end is None else from_millis(end), "basis": basis}


def present_ways_out(
    ways: Sequence[WayOut],
    viewer: Viewer,
    *,
    of: PendingWorkload | None,
    kind: str | None = None,
) -> list[dict[str, Any]]:
    """Return the ways out that the viewer may take, each with its call.

    `of` is the workload as it waits, `kind` its kind once it is submitted; before that there is nothing
    to call but the stop of other work.
    """
    if of is None:
        return []
    rows = _rows(way.stops for way in ways if way.stops is not None)
    names = [UUID(way.workload.pool) for way in ways if way.code is WayOutCode.OTHER_POOL]
    pools = Pool.objects.in_bulk(names)
    shown = []
    for way in ways:
        stops = rows.get(UUID(way.stops)) if way.stops else None
        if way.stops and (stops is None or not _may_stop(viewer.actor, stops)):
            continue
        pool = pools.get(UUID(way.workload.pool))
        changes = _changes(of, way.workload, pool)
        if stops is None and kind and KINDS[kind].is_prescribed:
            continue  # what a session of a web app asks for is not its owner's to change
        change = _change(kind, of.id, changes) if kind else None
        shown.append(
            {
                "code": way.code,
                "changes": changes,
                "pool": pool,
                "stops": viewer.view(stops) if stops else None,
                "call": _stop(stops) if stops else change,
            }
        )
    return shown


def _changes(of: PendingWorkload, form: PendingWorkload, pool: Pool | None) -> dict[str, Any]:
    """Return the fields of the submission that are not as they were."""
    pairs = [(name, getattr(of, name), getattr(form, name)) for name in _FORMS]
    pairs += [(name, getattr(of.request, name), getattr(form.request, name)) for name in _SIZES]
    changed = {name: new for name, old, new in pairs if new != old}
    if form.request.mig_profile:
        changed.pop("slices", None)
    return {**({"pool": pool.name} if pool else {}), **changed}


def _change(kind: str, key: object, changes: Mapping[str, Any]) -> dict[str, Any]:
    return {"method": "PATCH", "path": _address(kind, key), "body": changes}


def _stop(row: Workload) -> dict[str, Any]:
    path = f"{_address(row.kind, row.pk)}/{row.terms.stop}"
    return {"method": "POST", "path": path, "body": None}


def _address(kind: str, key: object) -> str:
    return f"/api/v1/{KINDS[kind].plural}/{key}"


def _may_stop(actor: Actor, row: Workload) -> bool:
    return policies.can(actor, Action.WORKLOAD_STOP, row.group_id, owner_id=row.owner_id)


def _rows(keys: Iterable[str]) -> Mapping[UUID, Workload]:
    found = {UUID(key) for key in keys}
    rows = Workload.objects.select_related("owner", "group").defer("spec")
    return rows.in_bulk(list(found)) if found else {}
