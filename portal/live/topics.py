"""The topics of the page's WebSocket: their names, who may subscribe, and their newest event."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final
from urllib.parse import unquote
from uuid import UUID

from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.errors import NotFoundError
from portal.common.notifications import LISTED
from portal.inventory.models import Pool
from portal.tenancy import policies
from portal.volumes.models import Volume
from portal.volumes.policies import VolumeAccess, access_of_person
from portal.volumes.selectors import rights_of, volume_visible_to
from portal.volumes.tree.paths import parse_path
from portal.workloads.models import Workload, WorkloadEvent


class TopicKind(StrEnum):
    """First word of a topic's name."""

    WORKLOAD = "workload"
    USER = "user"
    RIGHTS = "rights"
    GROUP = "group"
    POOL = "pool"
    NODES = "nodes"
    CARDS = "cards"
    REQUESTS = "requests"
    ALARMS = "alarms"
    LOG = "log"
    METRICS = "metrics"
    CHANGED = "changed"
    FILES = "files"


_NIL: Final = UUID(int=0)
_UUID: Final = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_NAME: Final = re.compile(
    rf"(?P<kind>workload|user|rights|group|pool|metrics):(?P<id>{_UUID})"
    rf"|(?P<plain>nodes|cards|requests|alarms)"
    rf"|(?P<changed>changed):(?P<listed>{'|'.join(sorted(LISTED))})"
    rf"|(?P<log>log):(?P<workload>{_UUID}):(?P<rank>\d{{1,2}})"
    rf"|(?P<files>files):(?P<volume>{_UUID}):(?P<path>\S*)"
)
_EVENT_COLUMN: Final = {
    TopicKind.WORKLOAD: "workload_id",
    TopicKind.USER: "owner_id",
    TopicKind.GROUP: "group_id",
    TopicKind.POOL: "pool_id",
}
_FOR_ALL: Final = {
    TopicKind.NODES: Action.NODE_VIEW,
    TopicKind.CARDS: Action.NODE_VIEW,
    TopicKind.REQUESTS: Action.REQUEST_VIEW,
    TopicKind.ALARMS: Action.ALARM_VIEW,
}
"""What an actor must be allowed to follow topics that are about nobody's own things."""
_FOR_LISTS: Final = {
    "user": Action.USER_MANAGE,
    "directory": Action.DIRECTORY_MANAGE,
    "image": Action.IMAGE_VIEW,
    "web_app": Action.IMAGE_VIEW,
    "dataset": Action.DATASET_VIEW,
    "volume": Action.VOLUME_VIEW,
    "template": Action.TEMPLATE_VIEW,
    "saved_view": Action.TEMPLATE_VIEW,
    "pool": Action.POOL_VIEW,
    "price": Action.USAGE_VIEW,
    "usage": Action.USAGE_VIEW,
    "site": Action.SITE_VIEW,
    "study": Action.STUDY_MANAGE,
    "token": Action.TOKEN_MANAGE,
    "ssh_key": Action.TOKEN_MANAGE,
    "secret": Action.SECRETS_VIEW,
    "audit": Action.AUDIT_VIEW,
}
"""What a list asks for whose rows change; those of groups, quotas and limits ask for `GROUP_VIEW`."""
_LISTED_BY_GROUP: Final = frozenset({"study"})
"""Lists of which who has the right in one group sees a part."""


@dataclass(frozen=True, slots=True)
class Topic:
    """A parsed name; `id` is the workload's for logs, and nil for those without one, such as `nodes`."""

    name: str
    kind: TopicKind
    id: UUID = _NIL
    rank: int = 0
    listed: str = ""
    """Of `changed`: the kind of rows."""
    path: str = ""
    """Of `files`: of the folder, from the top of the volume with this id on."""


@dataclass(frozen=True, slots=True)
class Audience:
    """Who may subscribe to a topic. It never changes; the rights of an actor do."""

    action: Action
    group_id: UUID | None = None
    owner_id: UUID | None = None
    user_id: UUID | None = None
    """When set, only this user."""
    is_of_any_group: bool = False
    """Whether the right in any group is enough."""
    volume: Volume | None = None
    """When set, only who may read its files."""
    paths: Mapping[UUID, Collection[UUID]] = field(default_factory=dict)
    """Of `volume`: the groups above each of the subscriber's, as `access_of_person` takes them."""

    def includes(self, actor: Actor) -> bool:
        """Return whether an actor, with its present rights, may subscribe."""
        if self.volume is not None:
            access = access_of_person(self.volume, actor.user_id, actor.roles, self.paths)
            return access is not VolumeAccess.NONE and actor.has_scope(self.action)
        if self.user_id is not None and self.user_id != actor.user_id:
            return False
        if self.is_of_any_group:
            return actor.has_scope(self.action) and policies.has_role_anywhere(actor, self.action)
        return policies.can(actor, self.action, self.group_id, owner_id=self.owner_id)


@dataclass(frozen=True, slots=True)
class Subscription:
    """A topic that an actor may follow for as long as the audience includes it."""

    topic: Topic
    audience: Audience


def authorize_subscription(actor: Actor, name: str) -> Subscription:
    """Return the subscription of an actor to a topic. Blocks.

    Raises:
        NotFoundError: for unknown topics and for those that the actor may not follow.
    """
    topic = parse_topic(name)
    audience = _audience(actor, topic) if topic else None
    if topic is None or audience is None or not audience.includes(actor):
        raise NotFoundError("topic")
    return Subscription(topic, audience)


def parse_topic(name: str) -> Topic | None:
    """Read a name: `workload:<id>`, `log:<workload id>:<rank>`, `files:<volume id>:<path>`, …"""
    found = _NAME.fullmatch(name)
    if found is None:
        return None
    if found["plain"]:
        return Topic(name, TopicKind(name))
    if found["changed"]:
        return Topic(name, TopicKind.CHANGED, listed=found["listed"])
    if found["log"]:
        return Topic(name, TopicKind.LOG, UUID(found["workload"]), int(found["rank"]))
    if found["files"]:
        return Topic(name, TopicKind.FILES, UUID(found["volume"]), path=unquote(found["path"]))
    return Topic(name, TopicKind(found["kind"]), UUID(found["id"]))


def get_newest_seq(topic: Topic) -> int:
    """Return the id of the newest event about a topic; 0 when there is none. Blocks."""
    column = _EVENT_COLUMN.get(topic.kind)
    if column is None:
        return 0
    events = WorkloadEvent.objects.filter(**{column: topic.id}).order_by("-id")
    return events.values_list("id", flat=True).first() or 0


def _audience(actor: Actor, topic: Topic) -> Audience | None:
    if topic.kind is TopicKind.FILES:
        return _folder_audience(actor, topic)
    return _plain_audience(topic)


def _plain_audience(topic: Topic) -> Audience | None:
    if action := _action_for_all(topic):
        return Audience(action, is_of_any_group=topic.listed in _LISTED_BY_GROUP)
    match topic.kind:
        case TopicKind.USER | TopicKind.RIGHTS:
            return Audience(Action.ME_VIEW, user_id=topic.id)
        case TopicKind.GROUP:
            return Audience(Action.WORKLOAD_VIEW, group_id=topic.id)
        case TopicKind.POOL:
            exists = Pool.objects.filter(pk=topic.id).exists()
            return Audience(Action.POOL_VIEW) if exists else None
        case TopicKind.WORKLOAD | TopicKind.LOG | TopicKind.METRICS:
            return _workload_audience(topic)
        case _:
            return None


def _action_for_all(topic: Topic) -> Action | None:
    if topic.kind is TopicKind.CHANGED:
        return _FOR_LISTS.get(topic.listed, Action.GROUP_VIEW)
    return _FOR_ALL.get(topic.kind)


def _workload_audience(topic: Topic) -> Audience | None:
    found = Workload.objects.filter(pk=topic.id).values_list("group_id", "owner_id", "replicas")
    for group_id, owner_id, replicas in found:
        if topic.rank < replicas:
            return Audience(Action.WORKLOAD_VIEW, group_id=group_id, owner_id=owner_id)
    return None


def _folder_audience(actor: Actor, topic: Topic) -> Audience:
    parse_path(topic.path)
    volume = volume_visible_to(actor, topic.id)
    if volume.state != Volume.State.ACTIVE:
        raise NotFoundError("volume")
    return Audience(Action.VOLUME_READ, volume=volume, paths=rights_of(actor).paths)
