"""Recoveries after the database was restored from a backup, and the containers that it does not know."""

from typing import Any

from django.db import models
from django.db.models import Q

from portal.common.models import Entity
from portal.inventory.models import Node
from portal.workloads.models.workloads import Workload


class Recovery(Entity):
    """The time from a restore of the database until every node has spoken again."""

    data_until = models.DateTimeField(null=True)
    """The newest event of the backup; what happened later is forgotten."""
    noticed_on = models.CharField(max_length=63, blank=True)
    """The node whose heartbeat showed that the database is older; empty when an operator said so."""
    finished_at = models.DateTimeField(null=True)
    finished_by = models.CharField(max_length=100, blank=True)
    """Who ended it before every node had spoken; empty otherwise."""

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["finished_at"],
                condition=Q(finished_at=None),
                nulls_distinct=False,
                name="recovery_one_open",
            ),
        ]


class ForgottenContainer(Entity):
    """A container that a node reports and the database does not know; it runs on until it is decided.

    A row is deleted when its container is adopted, or is not on the node any more.
    """

    node = models.ForeignKey(
        Node, models.CASCADE, related_name="forgotten_containers", db_index=False
    )
    allocation = models.CharField(max_length=128)
    """Its name on the wire, `<workload id, hex>.<rank>`."""
    epoch = models.PositiveIntegerField()
    workload = models.ForeignKey(Workload, models.CASCADE, null=True, related_name="+")
    """Null if the database does not know that either."""
    rank = models.PositiveSmallIntegerField(default=0)
    phase = models.CharField(max_length=16)
    """Last reported `wire.words.Phase`."""
    listed_seq = models.BigIntegerField()
    """The first reply that named it as unknown: a node that has applied it reports the devices."""
    devices: "models.JSONField[Any, Any]" = models.JSONField(null=True)
    """What it holds: objects as `wire.words.Device`; null until the node has reported that."""
    started_at = models.DateTimeField(null=True)
    was_over = models.BooleanField(default=False)
    """Whether its workload had ended, as the database knows it, when the node first reported it."""
    waits_for = models.CharField(max_length=32, blank=True)
    """What stands against its adoption: `portal.workloads.state.forgotten.Adoption`, or empty."""
    stopped_at = models.DateTimeField(null=True)
    """When an operator has ordered its stop."""

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["node", "allocation", "epoch"], name="forgotten_once_per_attempt"
            ),
        ]

    @property
    def key(self) -> tuple[str, int]:
        """Return the attempt, by which reports are matched."""
        return self.allocation, self.epoch
