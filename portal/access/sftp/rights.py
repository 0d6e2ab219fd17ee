"""Who is behind an SFTP session, and which volumes that person reaches at this moment. Blocks."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from portal.audit import denials
from portal.audit.denials import Denial
from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.connection_limiter import ConnectionLimiter
from portal.common.site_config import get_site_config
from portal.live.authentication import RECHECK_S
from portal.live.files.transfer import FileThreads
from portal.volumes.file_access import OpenedVolume, open_to_read, open_to_write
from portal.volumes.models import Volume
from portal.volumes.policies import VolumeAccess
from portal.volumes.selectors import find_volume, readable_volumes, rights_of
from portal.volumes.services import ensure_home

SFTP_SESSIONS_PER_USER_MAX: Final = 16
"""SFTP sessions of one user with volumes at a time, in one live process."""

Identify = Callable[[], Actor]
"""Returns the person with present rights; raises `DeniedError` when the key is gone."""


@dataclass(frozen=True, slots=True)
class VolumeGateway:
    """What all SFTP sessions of the process share."""

    storage_dir: Path
    threads: FileThreads
    limiter: ConnectionLimiter = field(
        default_factory=lambda: ConnectionLimiter(SFTP_SESSIONS_PER_USER_MAX)
    )
    recheck_s: float = RECHECK_S
    running: "set[asyncio.Task[None]]" = field(default_factory=set)
    """The sessions of this moment."""


@dataclass(frozen=True, slots=True)
class ReachedVolume:
    """A volume as one person reaches it now."""

    opened: OpenedVolume
    user: str
    may_write: bool


@dataclass(frozen=True, slots=True)
class ReadableVolume:
    """A volume as the root shows it."""

    volume: Volume
    may_write: bool


def begin_session(identify: Identify) -> Actor:
    """Return the person, whose home is there from now on."""
    actor = identify()
    ensure_home(actor=actor, site=get_site_config())
    return actor


def list_volumes(identify: Identify) -> list[ReadableVolume]:
    """Return the volumes whose files the person may read, also those that lie out of reach."""
    actor = identify()
    rights = rights_of(actor)
    return [
        ReadableVolume(row, rights.access_to(row) is VolumeAccess.WRITE)
        for row in readable_volumes(actor)
    ]


def reach_volume(
    identify: Identify, storage_dir: Path, folder_name: str, *, writes: bool
) -> ReachedVolume:
    """Return a volume by its folder name; raises as `portal.volumes.file_access` does.

    What is denied is in the audit log, as it is when a page is refused.
    """
    actor = identify()
    volume_id = find_volume(actor, folder_name)
    action = Action.VOLUME_WRITE if writes else Action.VOLUME_READ
    with denials.recorded(Denial(actor, action, "volume", str(volume_id))):
        check = open_to_write if writes else open_to_read
        opened = check(actor, volume_id, storage_dir)
    access = rights_of(actor).access_to(opened.volume)
    return ReachedVolume(opened, actor.name, access is VolumeAccess.WRITE)
