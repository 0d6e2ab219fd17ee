"""Who is behind an SFTP session, and which volumes and data sets that person reaches at this moment. Blocks."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Final
from uuid import UUID

from portal.access.sftp.paths import ClientPath
from portal.audit import denials
from portal.audit.denials import Denial
from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.asgi.connection_limiter import ConnectionLimiter
from portal.common.errors import DomainError, NotFoundError
from portal.common.site_config import get_site_config
from portal.datasets.choosing import find_version
from portal.datasets.models import Dataset, DatasetVersion
from portal.datasets.references import parse_reference, pinned
from portal.datasets.selectors import datasets_visible_to
from portal.live.authentication import RECHECK_S
from portal.transfers.transfer import FileThreads
from portal.volumes.file_access import OpenedVolume, open_to_read, open_to_write
from portal.volumes.growth import GrowthLedger
from portal.volumes.models import Volume
from portal.volumes.policies import VolumeAccess
from portal.volumes.selectors import find_volume, readable_volumes, rights_of
from portal.volumes.services import ensure_home
from portal.volumes.tree.listing import FOLDER_ENTRIES_MAX, EntryKind, describe
from portal.volumes.tree.paths import Parts, parse_path

SFTP_SESSIONS_PER_USER_MAX: Final = 16
"""SFTP sessions of one user with volumes at a time, in one live process."""

Identify = Callable[[], Actor]
"""Returns the person with present rights; raises `DeniedError` when the key is gone."""


@dataclass(frozen=True, slots=True)
class VolumeGateway:
    """What all SFTP sessions of the process share."""

    storage_dir: Path
    datasets_dir: Path | None
    """The nodes' folder of data sets, where this machine has it, too; None shows only published ones."""
    threads: FileThreads
    limiter: ConnectionLimiter = field(
        default_factory=lambda: ConnectionLimiter(SFTP_SESSIONS_PER_USER_MAX)
    )
    recheck_s: float = RECHECK_S
    ledger: GrowthLedger = field(default_factory=GrowthLedger)
    running: "set[asyncio.Task[None]]" = field(default_factory=set)
    """The sessions of this moment."""


@dataclass(frozen=True, slots=True)
class ReachedPlace:
    """A volume or data set as one person may read it now."""

    id: UUID
    top: Path
    """The folder beneath which everything is opened."""
    below: str
    """Where its files begin, below the top."""
    made_at: datetime
    may_write: bool

    def parts(self, path: str) -> Parts:
        """Return the names of a path inside it, from the top on."""
        return parse_path("/".join(filter(None, (self.below, path))))


@dataclass(frozen=True, slots=True)
class ReachedVolume(ReachedPlace):
    """A volume as one person reaches it now."""

    opened: OpenedVolume
    user: str


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
    return ReachedVolume(
        opened.volume.pk,
        opened.top,
        "",
        opened.volume.created_at,
        access is VolumeAccess.WRITE,
        opened,
        actor.name,
    )


def list_datasets(identify: Identify, gateway: VolumeGateway) -> Mapping[str, ReachedPlace]:
    """Return the versions of data sets that the person may read and that are here, by reference.

    The name alone is the newest one that new work may use.
    """
    rows = datasets_visible_to(identify()).order_by("name")[:FOLDER_ENTRIES_MAX]
    versions = {
        reference: version for row in rows for reference, version in _usable_versions(row).items()
    }
    places = {
        reference: _reach_here(version, gateway)
        for reference, version in islice(versions.items(), FOLDER_ENTRIES_MAX)
    }
    return {reference: place for reference, place in places.items() if place is not None}


def _usable_versions(dataset: Dataset) -> Mapping[str, DatasetVersion]:
    ready = [it for it in dataset.versions.all() if it.state == DatasetVersion.State.READY]
    found = {pinned(dataset.name, it.number): it for it in ready}
    return {dataset.name: ready[0], **found} if ready else found


def reach_to_read(identify: Identify, gateway: VolumeGateway, place: ClientPath) -> ReachedPlace:
    """Return the volume or version of a data set of a place; raises `NotFoundError` for one not here."""
    if place.dataset is None:
        return reach_volume(identify, gateway.storage_dir, place.volume, writes=False)
    reference = parse_reference(place.dataset)
    row = datasets_visible_to(identify()).filter(name=reference.name).first()
    version = None if row is None else find_version(row.versions.all(), reference)
    found = None if version is None else _reach_here(version, gateway)
    if found is None:
        raise NotFoundError("dataset")
    return found


def _reach_here(version: DatasetVersion, gateway: VolumeGateway) -> ReachedPlace | None:
    """Return a version whose folder is here; its path is the administrators', links are not followed."""
    folder = version.folder
    top = gateway.storage_dir if folder.is_published else gateway.datasets_dir
    if top is None:
        return None
    place = ReachedPlace(version.pk, top, folder.path, version.created_at, may_write=False)
    try:
        is_folder = describe(place.top, place.parts("")).kind is EntryKind.FOLDER
    except DomainError:
        return None
    return place if is_folder else None
