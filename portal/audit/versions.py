"""Versions of settings that several people change: the number of the newest act that changed them.

The caller that saves settings says which version it read. If somebody has saved others since, the answer
says who and when, and nothing is saved. The caller holds the lock of what it changes.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from portal.audit.models import AuditEvent
from portal.common.errors import changed_by_another

UNCHANGED: Final = 0
"""Version of what has not been changed since the log began."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What is versioned: the type of an object, and the acts that change it."""

    object_type: str
    actions: tuple[str, ...]


ALARM_RULE: Final = Settings("alarm_rule", ("alarm_rule.create", "alarm_rule.change"))
DIRECTORY: Final = Settings("directory", ("directory.create", "directory.change"))
IMAGE: Final = Settings("image", ("image.create", "image.change"))
POLICY: Final = Settings("pool", ("pool.policy",))
POOL: Final = Settings("pool", ("pool.create", "pool.change"))
SITE: Final = Settings("site", ("site.change",))
WEB_APP: Final = Settings("web_app", ("web_app.create", "web_app.change"))


def read_version(settings: Settings, object_id: object) -> int:
    """Return the present version of one object (one query)."""
    return read_versions(settings, [object_id]).get(str(object_id), UNCHANGED)


def read_versions(settings: Settings, object_ids: Iterable[object]) -> Mapping[str, int]:
    """Return the present versions of these objects by id, of those that have one (one query)."""
    rows = AuditEvent.objects.filter(
        object_type=settings.object_type,
        object_id__in=[str(each) for each in object_ids],
        action__in=settings.actions,
        outcome=AuditEvent.Outcome.OK,
    )
    newest = rows.order_by("object_id", "-id").distinct("object_id")
    return dict(newest.values_list("object_id", "id"))


def require_version(settings: Settings, object_id: object, version: int | None) -> None:
    """Require that an object is still what the caller has read; None asks for nothing.

    Raises:
        ConflictError: somebody has changed it since.
    """
    if version is None:
        return
    newest = AuditEvent.objects.filter(pk=read_version(settings, object_id)).first()
    if newest is not None and newest.pk != version:
        raise changed_by_another(newest.actor_name, newest.at)
