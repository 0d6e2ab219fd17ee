"""The work that holds something of a node now, as far as an actor may see it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Prefetch, QuerySet
from rest_framework import serializers

from portal.common.actor import Actor
from portal.common.rest.projection import Extended, project_all
from portal.inventory.models import Node
from portal.workloads.models import Allocation, AllocationDevice
from portal.workloads.responses.redaction import Viewer, VisibleWork
from portal.workloads.responses.shapes import WorkGlimpse
from scheduler.core.model.states import LIVE_ALLOCATION


class HeldDeviceShape(serializers.Serializer[Any]):
    """A card, a slice or a share of one that a replica holds."""

    uuid = serializers.CharField(source="accelerator.uuid")
    index = serializers.IntegerField(source="accelerator.index")
    slot = serializers.IntegerField()
    slices = serializers.IntegerField()
    gpu_milli = serializers.IntegerField()
    memory_mib = serializers.IntegerField()


class NodeWorkShape(serializers.Serializer[Any]):
    """One replica on a node, and what it holds there."""

    id = serializers.UUIDField(help_text="Of what it holds, not of the work.")
    work = WorkGlimpse()
    rank = serializers.IntegerField()
    cpu_milli = serializers.IntegerField()
    memory_mib = serializers.IntegerField()
    devices = HeldDeviceShape(many=True)
    since = serializers.DateTimeField(source="created_at")


@dataclass(frozen=True, slots=True)
class _ReplicaFields:
    """Fields of a replica that are no columns."""

    work: VisibleWork
    devices: Iterable[AllocationDevice]


def work_on_node(node: Node) -> "QuerySet[Allocation]":
    """Return what live work holds of a node, ready for `present_node_work`."""
    held = AllocationDevice.objects.filter(released_at=None).select_related("accelerator")
    return (
        Allocation.objects.filter(node=node, state__in=LIVE_ALLOCATION)
        .select_related("workload__owner", "workload__group")
        .defer("workload__spec")
        .prefetch_related(Prefetch("devices", held.order_by("accelerator__index", "slot")))
    )


def present_node_work(actor: Actor, rows: Sequence[Allocation]) -> list[dict[str, Any]]:
    """Return replicas on a node; the names of other tenants' work are left out."""
    viewer = Viewer.for_actor(actor)
    return project_all(
        NodeWorkShape,
        (
            Extended(row, _ReplicaFields(viewer.view(row.workload), row.devices.all()))
            for row in rows
        ),
    )
