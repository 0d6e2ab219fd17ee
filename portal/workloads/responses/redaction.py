"""Redaction: work of other tenants is shown with its resources, without names and owners."""

from dataclasses import dataclass, replace
from typing import Self
from uuid import UUID

from portal.common.actor import Actor
from portal.identity.models import User
from portal.tenancy import policies
from portal.tenancy.models import Group
from portal.workloads.models import Workload


@dataclass(frozen=True, slots=True)
class VisibleWork:
    """A workload as far as the actor may see it; the names are None for other tenants' work."""

    mine: bool
    kind: str
    gpus: int
    slices: int
    replicas: int
    preemptible: bool
    id: UUID | None = None
    name: str | None = None
    owner: User | None = None
    group: Group | None = None


@dataclass(frozen=True, slots=True)
class Viewer:
    """The actor who reads, with the groups whose work is shown in full."""

    actor: Actor
    groups: frozenset[UUID] | None
    """None is all groups."""

    @classmethod
    def for_actor(cls, actor: Actor) -> Self:
        """Return the viewer of an actor."""
        return cls(actor, policies.visible_group_ids(actor))

    def view(self, row: Workload) -> VisibleWork:
        """Return a workload as far as the actor may see it."""
        is_mine = row.owner_id == self.actor.user_id
        plain = VisibleWork(
            mine=is_mine,
            kind=row.kind,
            gpus=row.gpus,
            slices=row.slices,
            replicas=row.replicas,
            preemptible=row.preemptible,
        )
        if not is_mine and self.groups is not None and row.group_id not in self.groups:
            return plain
        return replace(plain, id=row.pk, name=row.name, owner=row.owner, group=row.group)
