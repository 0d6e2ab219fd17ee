"""After PostgreSQL was restored from a backup: what the nodes know better, and who decides about it.

From `begin_recovery` until every node has spoken, work that is older than the restore is not placed, because
it may run on a node that has not spoken. What nodes report and the database does not know runs on:
it is adopted where its workload is known (`portal.workloads.state.adoption`), and listed otherwise.
"""

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict
from datetime import timedelta
from typing import Any, Final
from uuid import UUID

import structlog
from django.db import connection, transaction
from django.db.models import Max

from portal.audit import services as audit
from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.clock import from_millis, now
from portal.common.errors import ConflictError, InvalidError, NotFoundError
from portal.common.notifications import (
    NODES_TOPIC,
    invalidate_nodes,
    invalidate_topics,
    wake_nodes,
    wake_scheduler,
)
from portal.common.rest.serializers import INTEGER_MAX
from portal.common.site_config import get_site_config
from portal.execution.desired import DesiredState
from portal.execution.report import AttemptKey, EndedContainer, Report, SeenContainer
from portal.inventory.models import Node
from portal.site.selectors import settings_for_system
from portal.tenancy import policies
from portal.workloads.models import (
    ForgottenContainer,
    Recovery,
    Workload,
    WorkloadEvent,
)
from portal.workloads.operations import node_state
from portal.workloads.state import allocations, lifecycle, transitions
from portal.workloads.state.adoption import RECOVERY_ACTOR
from portal.workloads.state.exchange import Exchange
from portal.workloads.state.forgotten import EPOCH_GAP, ContainerOrigin, find_origin
from scheduler.core.model.states import TERMINAL, NodeContact, NodeState

CONFIRMATION: Final = "finish"
"""What an operator types to end a recovery before every node has spoken."""
_WIRE_NAME: Final = re.compile(r"([0-9a-f]{32})\.([0-9]{1,3})")
_ONE_AT_A_TIME: Final = 0x5245434F
"""An advisory lock: the letters RECO."""

logger = structlog.get_logger(__name__)


class DatabaseIsOlderError(Exception):
    """A node has applied a reply that the database does not know of: it was restored."""


@transaction.atomic
def begin_recovery(*, actor: Actor, noticed_on: str = "") -> Recovery:
    """Note that the database was restored: nothing is known for sure before the nodes have spoken.

    Every node has as long as a lease to speak before what may be replaced counts as ended there.
    Notices of several nodes at once begin one recovery.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_ONE_AT_A_TIME])
    present = Recovery.objects.filter(finished_at=None).first()
    if present is not None and noticed_on:
        return present
    Recovery.objects.filter(finished_at=None).update(finished_at=now(), finished_by=actor.name)
    data_until = WorkloadEvent.objects.aggregate(at=Max("at"))["at"]
    nodes = _lock_heard_nodes()
    transitions.skip_epochs(EPOCH_GAP)
    allocations.presume_sent()
    ForgottenContainer.objects.all().delete()
    _await_reports(nodes)
    recovery = Recovery.objects.create(data_until=data_until, noticed_on=noticed_on)
    logger.error("portal.restored", noticed_on=noticed_on, data_until=str(data_until))
    _audit(
        actor,
        "recovery.begin",
        recovery,
        data_until=data_until.isoformat() if data_until else "",
        noticed_on=noticed_on,
        nodes=len(nodes),
    )
    return recovery


def _lock_heard_nodes() -> list[Node]:
    """Lock every node that was ever heard, as heartbeats do: before any row of its work."""
    rows = Node.objects.exclude(state=NodeState.RETIRED).filter(last_seq__gte=0)
    for key in rows.order_by("id").values_list("pk", flat=True):
        node_state.lock_node(key)
    return list(rows.order_by("id"))


def _await_reports(nodes: Iterable[Node]) -> None:
    """Expect a report of these nodes; each has a whole lease to speak."""
    lease = settings_for_system().lease_ttl + timedelta(seconds=get_site_config().lease_grace_s)
    for node in nodes:
        Node.objects.filter(pk=node.pk).update(
            awaits_report=True,
            runs_forgotten=False,
            rival_boot_id="",
            rival_seq=-1,
            lease_until=now() + lease,
            fence_at=None,
        )
        node.refresh_from_db()
        if node.state != NodeState.JOINING:
            node_state.update_node_state(node, NodeContact.SILENT)
    invalidate_topics([NODES_TOPIC])


def require_present_database(node: Node, boot_id: str, applied: int) -> None:
    """Raise `DatabaseIsOlderError` if the node has applied a reply that this database never gave."""
    if not node.awaits_report and node.boot_id == boot_id and applied > node.last_seq >= 0:
        raise DatabaseIsOlderError(node.name)


def finish_if_heard() -> None:
    """End the recovery once every node has spoken, or was declared lost or retired."""
    recovery = Recovery.objects.filter(finished_at=None).first()
    if recovery is None or Node.objects.filter(awaits_report=True).exists():
        return
    _finish(recovery, RECOVERY_ACTOR, by="")


@transaction.atomic
def finish_recovery(*, actor: Actor, confirm: str) -> None:
    """End the recovery although nodes have not spoken: older work may be placed from now on.

    What a node runs that speaks later is listed then; of work that is placed now it may be a second copy.

    Raises:
        InvalidError: `confirm` is not `CONFIRMATION`.
        ConflictError: no recovery is under way.
    """
    policies.require(actor, Action.NODE_MANAGE, None)
    if confirm != CONFIRMATION:
        raise InvalidError("word_not_repeated", pointer="/confirm", word=CONFIRMATION)
    recovery = Recovery.objects.select_for_update().filter(finished_at=None).first()
    if recovery is None:
        raise ConflictError("no_recovery")
    _finish(recovery, actor, by=actor.name)


@transaction.atomic
def _finish(recovery: Recovery, actor: Actor, *, by: str) -> None:
    Recovery.objects.filter(pk=recovery.pk).update(finished_at=now(), finished_by=by)
    unheard = Node.objects.filter(awaits_report=True).order_by("name")
    _audit(
        actor,
        "recovery.finish",
        recovery,
        unheard=list(unheard.values_list("name", flat=True)[:50]),
    )
    invalidate_topics([NODES_TOPIC])
    wake_scheduler()


@transaction.atomic
def stop_container(*, actor: Actor, container_id: UUID, name: str) -> None:
    """Stop a container that the portal does not know; the operator repeats its name.

    Raises:
        InvalidError: `name` is not the name of its allocation.
    """
    policies.require(actor, Action.NODE_MANAGE, None)
    rows = ForgottenContainer.objects.select_related("node").select_for_update(of=("self",))
    row = rows.filter(pk=container_id).first()
    if row is None:
        raise NotFoundError("container")
    if name != row.allocation:
        raise InvalidError("container_not_repeated", pointer="/name", name=row.allocation)
    if row.stopped_at is not None:
        return
    ForgottenContainer.objects.filter(pk=row.pk).update(stopped_at=now())
    audit.record_event(
        actor=actor,
        action="recovery.stop_container",
        object_type="node",
        object_id=row.node_id,
        params={"name": row.node.name, "allocation": row.allocation, "epoch": row.epoch},
    )
    wake_nodes([row.node_id])
    invalidate_nodes([row.node_id])


# --- What nodes report ---------------------------------------------------------------------------


def list_unknown_work(exchange: Exchange) -> DesiredState:
    """List what a node runs and the database does not know; name what of it continues.

    Only the first report after a restore, or the very first of a node, adds rows: whatever else
    appears later was given up by this portal.
    """
    rows = _list_unknown(exchange)
    exchange.columns |= {"awaits_report": False, "runs_forgotten": bool(rows)}
    return DesiredState(unknown=tuple(row.key for row in rows if not _must_stop(row)))


def _list_unknown(exchange: Exchange) -> list[ForgottenContainer]:
    node, report = exchange.node, exchange.report
    held = {(item.wire_name, item.epoch) for item in exchange.work.allocations}
    is_first = not node.boot_id
    unheld = [item for item in report.seen if item.key not in held]
    if not (node.awaits_report or node.runs_forgotten or (is_first and unheld)):
        return []
    if node.awaits_report or is_first:
        _list_containers(node, [item for item in unheld if item.epoch <= INTEGER_MAX], report.seq)
    _update_containers(node, report, held)
    return list(
        ForgottenContainer.objects.select_related("workload").filter(node=node).order_by("id")
    )


def requeue_unstarted(exchange: Exchange) -> None:
    """Queue again what a restored node should run and has not begun: it may run elsewhere."""
    if not exchange.node.awaits_report:
        return
    work = exchange.work
    unstarted = {item.workload_id for item in work.wanted_allocations() if not item.phase}
    for key in sorted(unstarted):
        lifecycle.requeue_workload(work.workloads[key], cause="not_started", actor=exchange.actor)


def cards_of_unknown_work(node: Node) -> frozenset[str]:
    """Return the UUIDs of the cards that are held by containers which the database does not know."""
    rows = ForgottenContainer.objects.filter(node=node).values_list("devices", flat=True)
    return frozenset(device["uuid"] for devices in rows for device in devices or ())


def _must_stop(row: ForgottenContainer) -> bool:
    """Return whether it was decided that it ends: by an operator, or by the end of its workload."""
    is_over = row.workload is not None and row.workload.state in TERMINAL
    return row.stopped_at is not None or (is_over and not row.was_over)


def _list_containers(node: Node, unheld: Collection[SeenContainer], seq: int) -> None:
    known = _known_workloads(unheld)
    fresh = []
    for item in unheld:
        key = _workload_id(item.allocation)
        workload = None if key is None else known.get(key)
        origin = find_origin(item.epoch, workload.epoch if workload else None)
        if origin is ContainerOrigin.SUPERSEDED:
            continue
        fresh.append(
            ForgottenContainer(
                node=node,
                allocation=item.allocation,
                epoch=item.epoch,
                workload=workload,
                rank=_rank(item.allocation),
                phase=item.phase,
                listed_seq=seq,
                started_at=None if item.started_at is None else from_millis(item.started_at),
                was_over=workload is not None and workload.state in TERMINAL,
            )
        )
    ForgottenContainer.objects.bulk_create(fresh, ignore_conflicts=True)
    transitions.refuse_plans([row.workload for row in fresh if row.workload is not None])
    if fresh:
        logger.warning("node.unknown_work", node=node.name, containers=len(fresh))
        invalidate_nodes([node.pk])


def _update_containers(node: Node, report: Report, held: Collection[AttemptKey]) -> None:
    """Note phases and devices of the listed containers; forget those that are gone or held."""
    reported = {item.key: item for item in report.seen}
    ends = {item.key: item for item in report.ended}
    for row in ForgottenContainer.objects.filter(node=node).order_by("id"):
        item = reported.get(row.key)
        if item is None or row.key in held:
            row.delete()
            if item is None:
                _audit_end(node, row, ends.get(row.key))
            continue
        # A node reports devices of what the last reply has named as unknown.
        is_asked = report.applied >= row.listed_seq
        devices = [asdict(device) for device in item.devices] if is_asked else row.devices
        if (row.phase, row.devices) != (item.phase, devices):
            ForgottenContainer.objects.filter(pk=row.pk).update(phase=item.phase, devices=devices)


def _known_workloads(unheld: Iterable[SeenContainer]) -> Mapping[UUID, Workload]:
    ids = {key for item in unheld if (key := _workload_id(item.allocation)) is not None}
    return Workload.objects.in_bulk(ids)


def _workload_id(allocation: str) -> UUID | None:
    found = _WIRE_NAME.fullmatch(allocation)
    return UUID(found[1]) if found else None


def _rank(allocation: str) -> int:
    found = _WIRE_NAME.fullmatch(allocation)
    return int(found[2]) if found else 0


def _audit_end(node: Node, row: ForgottenContainer, end: EndedContainer | None) -> None:
    audit.record_event(
        actor=Actor.system(f"node:{node.name}"),
        action="recovery.container_ended",
        object_type="node",
        object_id=node.pk,
        params={
            "name": node.name,
            "allocation": row.allocation,
            "epoch": row.epoch,
            "cause": end.cause if end else "",
            "exit_code": end.exit_code if end else None,
        },
    )


def _audit(actor: Actor, action: str, recovery: Recovery, **params: Any) -> None:
    audit.record_event(
        actor=actor, action=action, object_type="portal", object_id=recovery.pk, params=params
    )
