"""What was set for whom, on disk: a later agent takes it back or goes on watching it.

A record that cannot be read (another version wrote it, a disk has spoilt it) stays where it is. Its
container lives on; its cards take nobody new until it has ended, because nobody knows what it has
of them. All other cards are shared as ever.
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
    """One grant and the mode that makes it hold."""

    grant: ShareGrant
    mode: Isolation
    is_simulated: bool = False
    """The card is none: there is nothing to set and nothing to watch."""


@dataclass(frozen=True, slots=True)
class ShareRecord:
    """All shares of one container, and where its processes are once that is known."""

    key: ContainerKey
    tenant: str
    shares: tuple[EnforcedShare, ...]
    scope: ProcessScope | None = None

    def by_mode(self, mode: Isolation) -> tuple[ShareGrant, ...]:
        """Return the grants that one mode makes hold on real cards."""
        return tuple(
            item.grant for item in self.shares if item.mode is mode and not item.is_simulated
        )


@dataclass(frozen=True, slots=True)
class UnreadableRecord:
    """A container whose record cannot be read."""

    key: ContainerKey
    cards: frozenset[str]
    """Which it may hold; empty is any of this node."""


class ShareRecords:
    """One folder per container; in memory after the first look, and written through."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._loaded: dict[ContainerKey, ShareRecord] | None = None
        self._unreadable: dict[ContainerKey, UnreadableRecord] = {}

    def __iter__(self) -> Iterator[ShareRecord]:
        """Go through all of them, in the order in which they were made."""
        return iter(tuple(self._all().values()))

    def get(self, key: ContainerKey) -> ShareRecord | None:
        """Return what was set for a container."""
        return self._all().get(key)

    def list_unreadable(self) -> Collection[UnreadableRecord]:
        """Return the containers of whose shares nothing certain is known."""
        self._all()
        return tuple(self._unreadable.values())

    def may_be_held(self, uuid: str) -> bool:
        """Tell whether one of those may have something of a card."""
        return any(not item.cards or uuid in item.cards for item in self.list_unreadable())

    def folder(self, key: ContainerKey) -> Path:
        """Return where files of a mode for one container are; private to the agent."""
        return self._root / f"{key.allocation}.{key.epoch}"

    def save(self, record: ShareRecord) -> None:
        """Keep a record before anything of it is in force."""
        folder = self.folder(record.key)
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_json(folder / FILE, _content(record))
        self._all()[record.key] = record

    def set_scope(self, key: ContainerKey, scope: ProcessScope) -> ShareRecord | None:
        """Add where its processes are."""
        record = self.get(key)
        if record is not None:
            record = replace(record, scope=scope)
            self.save(record)
        return record

    def delete(self, key: ContainerKey) -> None:
        """Forget a container: nothing of it is in force any more."""
        self._all().pop(key, None)
        self._unreadable.pop(key, None)
        rmtree(self.folder(key), ignore_errors=True)

    def _all(self) -> dict[ContainerKey, ShareRecord]:
        if self._loaded is None:
            found = [_read(path) for path in sorted(self._root.glob(f"*/{FILE}"))]
            self._unreadable = {
                item.key: item for item in found if isinstance(item, UnreadableRecord)
            }
            self._loaded = {item.key: item for item in found if isinstance(item, ShareRecord)}
        return self._loaded


def _read(path: Path) -> ShareRecord | UnreadableRecord | None:
    """Return what a file says; None when it has just been removed."""
    allocation, _, epoch = path.parent.name.rpartition(".")
    key = ContainerKey(allocation, int(epoch) if epoch.isdecimal() else 0)
    try:
        text = path.read_text(encoding="utf-8")
        content = json.loads(text)
    except FileNotFoundError:
        return None
    except (OSError, ValueError):  # of half a file nobody knows which cards are missing in it
        return UnreadableRecord(key, frozenset())
    try:
        return _record(content)
    except (LookupError, TypeError, ValueError, AttributeError):
        return UnreadableRecord(key, frozenset(_CARD.findall(text)))


def _content(record: ShareRecord) -> dict[str, Any]:
    return {
        "allocation": record.key.allocation,
        "epoch": record.key.epoch,
        "tenant": record.tenant,
        "shares": [asdict(item) for item in record.shares],
        "scope": asdict(record.scope) if record.scope else None,
    }


def _record(content: dict[str, Any]) -> ShareRecord:
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
    """Reads them anew each time: they are few, and this is about the disk; the `Inspection` port."""

    def __init__(self, root: Path) -> None:
        self._root = root

    async def inspect(self) -> InspectionFindings:
        """Return one fault, which names the containers; the node goes on with its other cards."""
        names = await asyncio.to_thread(list_unreadable_names, self._root)
        if not names:
            return InspectionFindings()
        fault = NodeFault(code=UNREADABLE, detail=", ".join(names)[:200], is_blocking=False)
        return InspectionFindings(faults=(fault,))


def list_unreadable_names(root: Path) -> tuple[str, ...]:
    """Return whose records cannot be read, as `<allocation>.<epoch>`."""
    found = (item.key for item in ShareRecords(root).list_unreadable())
    return tuple(f"{key.allocation}.{key.epoch}" for key in found)
