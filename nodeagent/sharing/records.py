"""Records on disk which shares are set for which container, so that a later agent can release them.

A record that cannot be read (written by another version, or damaged) is kept. Its container keeps
running; its cards take no new container until it has ended, because its shares of them are unknown.
All other cards are shared as usual.
"""

import asyncio
import json
import re
from collections.abc import Collection, Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from shutil import rmtree
from typing import Any, Final

from nodeagent.core.state import ContainerKey
from nodeagent.disk.atomic_json import write_json
from nodeagent.disk.forward_compat import from_known_fields
from nodeagent.ports import InspectionFindings, ProcessScope
from nodeagent.sharing.grants import ShareGrant
from wire.facts import NodeFault
from wire.words import Isolation

FILE: Final = "record.json"
UNREADABLE: Final = "share_record_unreadable"
_CARD: Final = re.compile(r'"uuid": *"([^"]+)"')


@dataclass(frozen=True, slots=True)
class EnforcedShare:
    """A grant and the mode that enforces it."""

    grant: ShareGrant
    mode: Isolation
    is_simulated: bool = False
    """The card is simulated: there is nothing to set and nothing to monitor."""


@dataclass(frozen=True, slots=True)
class ShareRecord:
    """All shares of one container, and its processes once they are known."""

    key: ContainerKey
    tenant: str
    shares: tuple[EnforcedShare, ...]
    scope: ProcessScope | None = None

    def by_mode(self, mode: Isolation) -> tuple[ShareGrant, ...]:
        """Return the grants on real cards that a mode enforces."""
        return tuple(
            item.grant for item in self.shares if item.mode is mode and not item.is_simulated
        )


@dataclass(frozen=True, slots=True)
class UnreadableRecord:
    """A container with an unreadable record."""

    key: ContainerKey
    cards: frozenset[str]
    """The cards it may hold; empty means any card of this node."""


class ShareRecords:
    """One folder per container; cached in memory, and written through."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._loaded: dict[ContainerKey, ShareRecord] | None = None
        self._unreadable: dict[ContainerKey, UnreadableRecord] = {}

    def __iter__(self) -> Iterator[ShareRecord]:
        """Iterate over all records, in the order in which they were created."""
        return iter(tuple(self._load_all().values()))

    def get(self, key: ContainerKey) -> ShareRecord | None:
        """Return the record of a container."""
        return self._load_all().get(key)

    def list_unreadable(self) -> Collection[UnreadableRecord]:
        """Return the containers with unreadable records."""
        self._load_all()
        return tuple(self._unreadable.values())

    def may_be_held(self, uuid: str) -> bool:
        """Return whether a container with an unreadable record may hold a card."""
        return any(not item.cards or uuid in item.cards for item in self.list_unreadable())

    def folder(self, key: ContainerKey) -> Path:
        """Return the folder for a mode's files of one container; private to the agent."""
        return self._root / f"{key.allocation}.{key.epoch}"

    def save(self, record: ShareRecord) -> None:
        """Save a record, before anything in it takes effect."""
        folder = self.folder(record.key)
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_json(folder / FILE, _to_json(record))
        self._load_all()[record.key] = record

    def set_scope(self, key: ContainerKey, scope: ProcessScope) -> ShareRecord | None:
        """Add the container's processes."""
        record = self.get(key)
        if record is not None:
            record = replace(record, scope=scope)
            self.save(record)
        return record

    def delete(self, key: ContainerKey) -> None:
        """Delete a container's record, once nothing in it is in effect any more."""
        self._load_all().pop(key, None)
        self._unreadable.pop(key, None)
        rmtree(self.folder(key), ignore_errors=True)

    def _load_all(self) -> dict[ContainerKey, ShareRecord]:
        if self._loaded is None:
            found = [_read(path) for path in sorted(self._root.glob(f"*/{FILE}"))]
            self._unreadable = {
                item.key: item for item in found if isinstance(item, UnreadableRecord)
            }
            self._loaded = {item.key: item for item in found if isinstance(item, ShareRecord)}
        return self._loaded


def _read(path: Path) -> ShareRecord | UnreadableRecord | None:
    """Read a record; None if it has just been deleted."""
    allocation, _, epoch = path.parent.name.rpartition(".")
    key = ContainerKey(allocation, int(epoch) if epoch.isdecimal() else 0)
    try:
        text = path.read_text(encoding="utf-8")
        content = json.loads(text)
    except FileNotFoundError:
        return None
    except (OSError, ValueError):  # a truncated file may lack any of its cards
        return UnreadableRecord(key, frozenset())
    try:
        return _from_json(content)
    except (LookupError, TypeError, ValueError, AttributeError):
        return UnreadableRecord(key, frozenset(_CARD.findall(text)))


def _to_json(record: ShareRecord) -> dict[str, Any]:
    return {
        "allocation": record.key.allocation,
        "epoch": record.key.epoch,
        "tenant": record.tenant,
        "shares": [asdict(item) for item in record.shares],
        "scope": asdict(record.scope) if record.scope else None,
    }


def _from_json(content: dict[str, Any]) -> ShareRecord:
    scope = content["scope"]
    return ShareRecord(
        key=ContainerKey(content["allocation"], content["epoch"]),
        tenant=content["tenant"],
        shares=tuple(_share(item) for item in content["shares"]),
        scope=from_known_fields(ProcessScope, scope) if scope else None,
    )


def _share(content: dict[str, Any]) -> EnforcedShare:
    grant = content["grant"]
    required = grant["required"]
    return EnforcedShare(
        from_known_fields(
            ShareGrant,
            {
                **grant,
                "slots": tuple(grant["slots"]),
                "required": Isolation(required) if required else None,
            },
        ),
        Isolation(content["mode"]),
        content["is_simulated"],
    )


class ShareRecordsInspection:
    """Reports unreadable records; the `Inspection` port. Reads the disk each time: there are few."""

    def __init__(self, root: Path) -> None:
        self._root = root

    async def inspect(self) -> InspectionFindings:
        """Return a fault that names the containers; the node continues with its other cards."""
        names = await asyncio.to_thread(list_unreadable_names, self._root)
        if not names:
            return InspectionFindings()
        fault = NodeFault(code=UNREADABLE, detail=", ".join(names)[:200], is_blocking=False)
        return InspectionFindings(faults=(fault,))


def list_unreadable_names(root: Path) -> tuple[str, ...]:
    """Return the containers with unreadable records, as `<allocation>.<epoch>`."""
    found = (item.key for item in ShareRecords(root).list_unreadable())
    return tuple(f"{key.allocation}.{key.epoch}" for key in found)
