"""What a portal that was restored from a backup still waits for, as operators see it."""

from collections.abc import Mapping
from typing import Any, Final

from rest_framework import serializers

from portal.common.actions import Action
from portal.common.actor import Actor
from portal.inventory.models import Node
from portal.tenancy import policies
from portal.workloads.models import ForgottenContainer, Recovery
from portal.workloads.responses.placement_shapes import NodeRef
from portal.workloads.state.forgotten import Adoption

CONTAINERS_MAX: Final = 200
"""Containers in one answer; the total says how many there are."""
NODES_MAX: Final = 200
"""Nodes in one answer that have not spoken."""


class UnheardNodeOutput(serializers.Serializer[Any]):
    """A node that has not spoken since the restore."""

    id = serializers.UUIDField()
    name = serializers.CharField()
    state = serializers.CharField()
    last_seen_at = serializers.DateTimeField(allow_null=True)
    """As the backup has it."""


class ForgottenContainerOutput(serializers.Serializer[Any]):
    """A container that runs and that the database does not know."""

    id = serializers.UUIDField()
    node = NodeRef()
    allocation = serializers.CharField()
    epoch = serializers.IntegerField()
    workload_id = serializers.UUIDField(allow_null=True)
    """Null if the database does not know that either."""
    workload_name = serializers.CharField()
    """Empty for unknown work."""
    phase = serializers.CharField()
    gpus = serializers.IntegerField(allow_null=True)
    """Cards that it holds, or parts of; null until its node has reported that."""
    started_at = serializers.DateTimeField(allow_null=True)
    waits_for = serializers.ChoiceField([item.value for item in Adoption], allow_blank=True)
    """What stands against its adoption; empty for unknown work, which is never adopted."""
    is_stopping = serializers.BooleanField()


class RecoveryOutput(serializers.Serializer[Any]):
    """The state of a recovery, the last one if none is under way."""

    is_under_way = serializers.BooleanField()
    """Work that is older than the restore is not placed."""
    began_at = serializers.DateTimeField(allow_null=True)
    data_until = serializers.DateTimeField(allow_null=True)
    """The newest event of the backup."""
    noticed_on = serializers.CharField()
    """The node whose heartbeat showed the restore; empty when an operator said so."""
    finished_at = serializers.DateTimeField(allow_null=True)
    unheard_nodes = UnheardNodeOutput(many=True)
    unheard_total = serializers.IntegerField()
    containers = ForgottenContainerOutput(many=True)
    containers_total = serializers.IntegerField()


def present_recovery(actor: Actor) -> Mapping[str, Any]:
    """Return what is pending, to those who may decide about it."""
    policies.require(actor, Action.NODE_MANAGE, None)
    recovery = Recovery.objects.order_by("-created_at").first()
    unheard = Node.objects.filter(awaits_report=True).order_by("name")
    rows = ForgottenContainer.objects.select_related("node", "workload").order_by("id")
    shown = {
        "is_under_way": recovery is not None and recovery.finished_at is None,
        "began_at": recovery and recovery.created_at,
        "data_until": recovery and recovery.data_until,
        "noticed_on": recovery.noticed_on if recovery else "",
        "finished_at": recovery and recovery.finished_at,
        "unheard_nodes": unheard[:NODES_MAX],
        "unheard_total": unheard.count(),
        "containers": [_present_container(row) for row in rows[:CONTAINERS_MAX]],
        "containers_total": rows.count(),
    }
    return RecoveryOutput(shown).data


def _present_container(row: ForgottenContainer) -> Mapping[str, Any]:
    columns = (
        *("id", "node", "allocation", "epoch", "workload_id", "phase", "started_at"),
        "waits_for",
    )
    cards = None if row.devices is None else len({device["uuid"] for device in row.devices})
    shown = {name: getattr(row, name) for name in columns}
    name = row.workload.name if row.workload else ""
    is_stopping = row.stopped_at is not None
    return {**shown, "workload_name": name, "gpus": cards, "is_stopping": is_stopping}
