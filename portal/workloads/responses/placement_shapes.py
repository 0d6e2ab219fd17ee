"""Response shapes of where work is: its allocations, their devices, and what is wrong with its nodes."""

from typing import Any

from rest_framework import serializers

from scheduler.core.model.isolation import IsolationLevel
from scheduler.core.model.states import AllocationState
from wire.words import SilenceTerm


class HeldDevice(serializers.Serializer[Any]):
    """A card, a slice or a fraction of a card that a replica holds."""

    uuid = serializers.CharField(source="accelerator.uuid")
    index = serializers.IntegerField(source="accelerator.index")
    model = serializers.CharField(source="accelerator.model")
    slot = serializers.IntegerField()
    slices = serializers.IntegerField()
    gpu_milli = serializers.IntegerField()
    memory_mib = serializers.IntegerField(help_text="Guaranteed.")
    ceiling_mib = serializers.IntegerField(
        allow_null=True, help_text="What it may grow to; null is its guarantee."
    )


class NodeRef(serializers.Serializer[Any]):
    """A node, by id and name."""

    id = serializers.UUIDField()
    name = serializers.CharField()


class AllocationShape(serializers.Serializer[Any]):
    """The resources of one replica on one node."""

    rank = serializers.IntegerField()
    epoch = serializers.IntegerField()
    node = NodeRef()
    state = serializers.ChoiceField(choices=[state.value for state in AllocationState])
    phase = serializers.CharField()
    detail = serializers.CharField()
    progress_pct = serializers.IntegerField(allow_null=True)
    isolation = serializers.ChoiceField(
        choices=[mode.value for mode in IsolationLevel],
        allow_blank=True,
        help_text="Isolation from other tenants, as its node has verified it; empty before that.",
    )
    started_at = serializers.DateTimeField(allow_null=True)
    finished_at = serializers.DateTimeField(allow_null=True)
    exit_code = serializers.IntegerField(allow_null=True)
    exit_cause = serializers.CharField()
    devices = HeldDevice(many=True)


class ShortDisk(serializers.Serializer[Any]):
    """A node of this work whose disk is running full."""

    node = NodeRef()
    free_mib = serializers.IntegerField()
    size_mib = serializers.IntegerField()


class SilentNode(serializers.Serializer[Any]):
    """A node of this work that is not heard, and what is kept or given up on it."""

    node = NodeRef()
    since = serializers.DateTimeField()
    silence = serializers.ChoiceField(choices=[term.value for term in SilenceTerm])
