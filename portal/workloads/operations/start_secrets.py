"""Secrets for a start: values go to the node that runs the work, and only while it may start it."""

from typing import Final
from uuid import UUID

from portal.common.actor import Actor
from portal.common.errors import ConflictError, NotFoundError
from portal.execution.report import AttemptKey
from portal.execution.secrets import StartSecret
from portal.inventory.models import Node
from portal.secrets.services import MissingSecretError, reveal_secrets
from portal.secrets.uses import parse_uses
from portal.workloads.models import Allocation
from scheduler.core.model.states import PLACED, AllocationState

STARTING: Final = frozenset({AllocationState.BOUND.value})
"""An allocation that the node was sent, and whose lease has not ended."""


class SecretMissingError(ConflictError):
    """Work names a secret that does not exist any more."""


def reveal_for_start(node_id: UUID, attempt: AttemptKey) -> tuple[StartSecret, ...]:
    """Return the secrets of a container that this node starts now.

    Raises:
        NotFoundError: the node does not run this attempt, or the work is being stopped.
        SecretMissingError: a secret was deleted since the work was submitted.
    """
    held = _find_starting(node_id, attempt)
    work = held.workload
    node = Node.objects.get(pk=node_id)
    try:
        revealed = reveal_secrets(
            parse_uses(work.spec),
            actor=Actor.system(f"node:{node.name}"),
            user_id=work.owner_id,
            group_id=work.group_id,
            workload=work.pk,
        )
    except MissingSecretError as error:
        raise SecretMissingError("secret_missing", secret=error.name) from error
    return tuple(StartSecret(item.use.kind, item.use.target, item.value) for item in revealed)


def _find_starting(node_id: UUID, attempt: AttemptKey) -> Allocation:
    name, epoch = attempt
    workload_id, _, rank = name.rpartition(".")
    try:
        key, number = UUID(workload_id), int(rank)
    except ValueError as error:
        raise NotFoundError("workload") from error
    rows = Allocation.objects.select_related("workload").filter(
        node=node_id,
        workload=key,
        rank=number,
        epoch=epoch,
        state__in=STARTING,
        workload__state__in=[state.value for state in PLACED],
    )
    if (found := rows.first()) is None:
        raise NotFoundError("workload")
    return found
