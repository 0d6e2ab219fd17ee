"""What was set for whom, on disk: a later agent takes it back or goes on watching it."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from shutil import rmtree
from typing import Any, Final

from nodeagent.core.state import Key
from nodeagent.disk.atomic import read_json, write_json
from nodeagent.disk.skew import understood
from nodeagent.ports import Confines
from nodeagent.sharing.grants import Grant
from wire.facts import Isolation

FILE: Final = "record.json"


@dataclass(frozen=True, slots=True)
class Share:
    """One grant and the mode that makes it hold."""

    grant: Grant
    mode: Isolation
    is_simulated: bool = False
    """The card is none: there is nothing to set and nothing to watch."""


@dataclass(frozen=True, slots=True)
class Record:
    """All shares of one container, and where its processes are once that is known."""

    key: Key
    tenant: str
    shares: tuple[Share, ...]
    confines: Confines | None = None

    def by_mode(self, mode: Isolation) -> tuple[Grant, ...]:
        """Return the grants that one mode makes hold on real cards."""
        return tuple(
            item.grant for item in self.shares if item.mode is mode and not item.is_simulated
        )


class Records:
    """One folder per container; in memory after the first look, and written through."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._known: dict[Key, Record] | None = None

    def __iter__(self) -> Iterator[Record]:
        """Go through all of them, in the order in which they were made."""
        return iter(tuple(self._all().values()))

    def get(self, key: Key) -> Record | None:
        """Return what was set for a container."""
        return self._all().get(key)

    def folder(self, key: Key) -> Path:
        """Return where files of a mode for one container are; private to the agent."""
        return self._root / f"{key.allocation}.{key.epoch}"

    def put(self, record: Record) -> None:
        """Keep a record before anything of it is in force."""
        folder = self.folder(record.key)
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_json(folder / FILE, _content(record))
        self._all()[record.key] = record

    def confine(self, key: Key, confines: Confines) -> Record | None:
        """Add where its processes are."""
        record = self.get(key)
        if record is not None:
            record = replace(record, confines=confines)
            self.put(record)
        return record

    def drop(self, key: Key) -> None:
        """Forget a container: nothing of it is in force any more."""
        self._all().pop(key, None)
        rmtree(self.folder(key), ignore_errors=True)

    def _all(self) -> dict[Key, Record]:
        if self._known is None:
            found = [_record(content) for content in self._contents()]
            self._known = {item.key: item for item in found}
        return self._known

    def _contents(self) -> Iterator[dict[str, Any]]:
        for path in sorted(self._root.glob(f"*/{FILE}")):
            content = read_json(path)
            if content is not None:
                yield content


def _content(record: Record) -> dict[str, Any]:
    return {
        "allocation": record.key.allocation,
        "epoch": record.key.epoch,
        "tenant": record.tenant,
        "shares": [asdict(item) for item in record.shares],
        "confines": asdict(record.confines) if record.confines else None,
    }


def _record(content: dict[str, Any]) -> Record:
    confines = content["confines"]
    return Record(
        key=Key(content["allocation"], content["epoch"]),
        tenant=content["tenant"],
        shares=tuple(_share(item) for item in content["shares"]),
        confines=understood(Confines, confines) if confines else None,
    )


def _share(content: dict[str, Any]) -> Share:
    grant = content["grant"]
    demanded = grant["demanded"]
    return Share(
        understood(
            Grant,
            {
                **grant,
                "slots": tuple(grant["slots"]),
                "demanded": Isolation(demanded) if demanded else None,
            },
        ),
        Isolation(content["mode"]),
        content["is_simulated"],
    )
