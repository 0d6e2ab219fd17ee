"""Redaction: work of other tenants is shown with its resources, without names and owners."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, Self
from uuid import UUID

from portal.common.actor import Actor
from portal.identity.models import User
from portal.tenancy import policies
from portal.tenancy.models import Group
from portal.workloads.models import Workload


class NamedUser(NamedTuple):
    """An owner as lists show one."""

    id: UUID
    username: str
    display_name: str


class NamedGroup(NamedTuple):
    """A group as lists show one."""

    id: UUID
    name: str
    title_en: str
    title_zh: str


class WorkColumns(NamedTuple):
    """A workload as far as `Viewer.view` reads it, for lists of hundreds: without objects of models."""

    pk: UUID
    name: str
    kind: str
    gpus: int
    slices: int
    replicas: int
    preemptible: bool
    owner: NamedUser
    group: NamedGroup

    @property
    def owner_id(self) -> UUID:
        """As rows of the model have it."""
        return self.owner.id

    @property
    def group_id(self) -> UUID:
        """As rows of the model have it."""
        return self.group.id


_OWN_COLUMNS: Final = ("id", *WorkColumns._fields[1 : WorkColumns._fields.index("owner")])
WORK_COLUMNS: Final = (
    *(f"work.{name}" for name in _OWN_COLUMNS),
    *(f"owner.{name}" for name in NamedUser._fields),
    *(f"team.{name}" for name in NamedGroup._fields),
)
"""Where a statement reads the fields of `WorkColumns`, from `WORK_TABLES`."""
WORK_TABLES: Final = """
    workloads_workload work JOIN identity_user owner ON owner.id = work.owner_id
    JOIN tenancy_group team ON team.id = work.group_id
"""
_GROUP: Final = len(WORK_COLUMNS) - len(NamedGroup._fields)
_OWNER: Final = _GROUP - len(NamedUser._fields)


def work_from(columns: Sequence[Any]) -> WorkColumns:
    """Return the workload of columns in the order of `WORK_COLUMNS`."""
    own, owner, group = columns[:_OWNER], columns[_OWNER:_GROUP], columns[_GROUP:]
    return WorkColumns._make((*own, NamedUser(*owner), NamedGroup(*group)))


class VisibleWork(NamedTuple):
    """A workload as far as the actor may see it; the names are None for other tenants' work."""

    mine: bool
    kind: str
    gpus: int
    slices: int
    replicas: int
    preemptible: bool
    id: UUID | None = None
    name: str | None = None
    owner: User | NamedUser | None = None
    group: Group | NamedGroup | None = None


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

    def view(self, row: Workload | WorkColumns) -> VisibleWork:
        """Return a workload as far as the actor may see it."""
        is_mine = row.owner_id == self.actor.user_id
        asked = (is_mine, row.kind, row.gpus, row.slices, row.replicas, row.preemptible)
        if not is_mine and self.groups is not None and row.group_id not in self.groups:
            return VisibleWork(*asked)
        return VisibleWork(*asked, row.pk, row.name, row.owner, row.group)
