"""Fence commands: make sure that a silent node is off, so that its kept work may start elsewhere.

A command is run when a node is silent beyond its lease, holds kept work, and at least half of the
other nodes are heard: when most are silent, the portal or its network is at fault, and nothing may
be switched off. That must have been so for a while, because nodes take a moment to come back after
an outage of the portal. Exit status 0 means that the node is off.
"""

import os
import signal
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Final
from uuid import UUID

import structlog
from django.db import connection, transaction
from django.db.models import Exists, OuterRef, QuerySet

from portal.audit import services as audit
from portal.common.actor import Actor
from portal.common.clock import now
from portal.common.site_config import FenceCommand, FenceCommands
from portal.inventory.models import FenceAttempt, Node
from portal.workloads.models import Allocation
from portal.workloads.operations import node_loss, node_state
from scheduler.core.model.states import AllocationState, LossKind, NodeState
from wire.words import SilenceTerm

OUTPUT_MAX: Final = 2000
"""Characters of a command's output that are kept: its end."""
RETRY_AFTER: Final = timedelta(seconds=60)
"""Between two attempts."""
FENCE_ACTOR: Final = Actor.system("fencing")
_ONE_AT_A_TIME: Final = 0x46454E43
"""An advisory lock: the letters FENC. A command may take a minute, and other tasks need workers."""
_ENVIRONMENT: Final = ("PATH", "HOME", "LANG")
"""What a command gets to know of the worker's environment, in which passwords stand."""

logger = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class FenceResult:
    """How a command has ended; without an exit status it did not run, or took too long."""

    exit_code: int | None
    output: str

    @property
    def is_off(self) -> bool:
        """Whether it has confirmed that the node is off."""
        return self.exit_code == 0


RunFence = Callable[[tuple[str, ...], float], FenceResult]
"""Runs an argument vector with a time-out in seconds."""


def fence_silent_nodes(commands: FenceCommands, *, heartbeat: timedelta, run: RunFence) -> int:
    """Run every fence command that is due, one after the other; return how many."""
    if commands.is_empty or not _try_lock():
        return 0
    try:
        due = _update_due_times(commands, heartbeat)
        return sum(_fence(node, command, run) for node, command in due)
    finally:
        _unlock()


def run_fence_command(argv: tuple[str, ...], timeout_s: float) -> FenceResult:
    """Run a command without a shell; with its children, it is killed when it takes too long."""
    environment = {name: os.environ[name] for name in _ENVIRONMENT if name in os.environ}
    try:
        process = subprocess.Popen(
            argv,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=environment,
            start_new_session=True,
        )
    except OSError as error:
        return FenceResult(None, str(error))
    try:
        output, _ = process.communicate(timeout=timeout_s)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        output, _ = process.communicate()
        return FenceResult(None, f"{_text(output)}\nno end within {timeout_s:g} s".strip())
    return FenceResult(process.returncode, _text(output))


def _text(output: bytes) -> str:
    return output.decode(errors="replace").replace("\0", "").strip()[-OUTPUT_MAX:]


def _holds_kept_work() -> Exists:
    return Exists(
        Allocation.objects.filter(
            node=OuterRef("pk"), state=AllocationState.BOUND, silence=SilenceTerm.KEEP
        )
    )


def _silent_with_work() -> "QuerySet[Node]":
    rows = Node.objects.select_related("pool").filter(_holds_kept_work(), state=NodeState.LOST)
    return rows.order_by("name")


def _update_due_times(
    commands: FenceCommands, heartbeat: timedelta
) -> list[tuple[UUID, FenceCommand]]:
    """Set and clear the times at which commands are due; return those that are due now."""
    silent = list(_silent_with_work()) if _are_most_nodes_heard(heartbeat) else []
    known = [(node, commands.find(node.name, node.pool.name)) for node in silent]
    concerned = [(node, command) for node, command in known if command is not None]
    gone = Node.objects.exclude(fence_at=None).exclude(pk__in=[node.pk for node, _ in concerned])
    gone.update(fence_at=None)
    moment = now()
    for node, command in concerned:
        if node.fence_at is None:
            at = moment + timedelta(seconds=command.after_s)
            Node.objects.filter(pk=node.pk, fence_at=None).update(fence_at=at)
    return [
        (node.pk, known) for node, known in concerned if node.fence_at and node.fence_at <= moment
    ]


def _are_most_nodes_heard(heartbeat: timedelta) -> bool:
    """Return whether at least half of the nodes beside the silent one are heard."""
    out_of_service = [NodeState.RETIRED, NodeState.JOINING, NodeState.DRAINED]
    seen = Node.objects.exclude(state__in=out_of_service).values_list("last_seen_at", flat=True)
    since = now() - 3 * heartbeat
    heard = sum(1 for at in seen if at is not None and at > since)
    return heard > 0 and 2 * heard >= len(seen) - 1


def _fence(node_id: UUID, command: FenceCommand, run: RunFence) -> bool:
    """Run the command of one node, unless an attempt is not due; return whether it was run."""
    attempt = _begin(node_id, command)
    if attempt is None:
        return False
    argv = command.fill_in(attempt.node.name, attempt.node.pool.name)
    result = run(argv, command.timeout_s)
    _conclude(attempt, result)
    return True


@transaction.atomic
def _begin(node_id: UUID, command: FenceCommand) -> FenceAttempt | None:
    """Save that an attempt begins; None if none is due any more."""
    node_state.lock_node(node_id)
    node = _silent_with_work().filter(pk=node_id).first()
    if node is None or node.last_seen_at is None or node.lost_as:
        return None
    earlier = FenceAttempt.objects.filter(node=node, silent_since=node.last_seen_at)
    if earlier.count() >= command.attempts_max:
        return None
    if earlier.filter(created_at__gt=now() - RETRY_AFTER).exists():
        return None
    return FenceAttempt.objects.create(node=node, silent_since=node.last_seen_at)


@transaction.atomic
def _conclude(attempt: FenceAttempt, result: FenceResult) -> None:
    """Save the result; give up the node's work if it is off and has not been heard since."""
    node_state.lock_node(attempt.node_id)
    node = Node.objects.get(pk=attempt.node_id)
    output = result.output[-OUTPUT_MAX:]
    FenceAttempt.objects.filter(pk=attempt.pk).update(
        ended_at=now(), exit_code=result.exit_code, output=output
    )
    is_still_silent = node.last_seen_at == attempt.silent_since and node.state == NodeState.LOST
    if result.is_off and is_still_silent and not node.lost_as:
        node_loss.give_up_node(node, LossKind.FENCED, actor=FENCE_ACTOR)
    logger.warning("node.fence", node=node.name, exit_code=result.exit_code, output=output[-200:])
    params = {"name": node.name, "exit_code": result.exit_code, "output": output[-200:]}
    audit.record_event(
        actor=FENCE_ACTOR,
        action="node.fence",
        object_type="node",
        object_id=node.pk,
        params={**params, "is_given_up": node.lost_as == LossKind.FENCED},
    )


def _try_lock() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(%s)", [_ONE_AT_A_TIME])
        return bool(cursor.fetchone()[0])


def _unlock() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_unlock(%s)", [_ONE_AT_A_TIME])
