"""How the work of a notebook leaves its cards while the notebook lives, and how it takes them again.

Two ways out. Where the driver can (570 and later), the CUDA state of its processes moves to the
host's memory and comes back later: nothing is lost. Elsewhere the kernels that are on the cards are
ended, with a notice; the notebook, its files and its other kernels stay. Either way it has left
only when a fresh look at the cards finds nothing of it there.
"""

import asyncio
import os
import signal
from collections.abc import Awaitable, Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

import structlog

from nodeagent.core.events import CardsMoved
from nodeagent.core.state import Cards, Device, Key
from nodeagent.disk.atomic_json import read_json, write_json
from nodeagent.disk.container_dir import ContainerDir, Endpoint
from nodeagent.disk.notices import Talk
from nodeagent.host import procfs
from nodeagent.idle import jupyter_client
from nodeagent.idle.checkpoint import Checkpointer, Standing
from nodeagent.idle.jupyter_client import kernel_of
from nodeagent.ports import Clock, OnCards, Sharing, StartError

log = structlog.get_logger()

GONE_S: Final = 20.0
"""For processes to end and for the driver to have their memory back."""
POLITE_S: Final = 5.0
POLL_S: Final = 0.5
NOTICE: Final = "cards_given_up"
FILE: Final = "parked.json"


class StaysError(Exception):
    """It keeps its cards; the words begin with a code."""


SeeCards = Callable[[Key, Collection[str]], Awaitable[OnCards | None]]
"""Looks anew; None when nobody can tell."""


class Parking:
    """Takes containers off their cards, and puts them on cards again."""

    def __init__(
        self,
        containers: Path,
        see: SeeCards,
        sharing: Sharing,
        checkpointer: Checkpointer | None,
        clock: Clock,
        gone_s: float = GONE_S,
    ) -> None:
        self._root = containers
        self._see = see
        self._sharing = sharing
        self._checkpointer = checkpointer
        self._clock = clock
        self._gone_s = gone_s

    async def leave(self, key: Key, devices: Sequence[Device]) -> CardsMoved:
        """Return `AWAY` once it holds nothing of these, `KEPT` with the reason otherwise."""
        place = ContainerDir(self._root, key)
        try:
            way = await self._left(place, frozenset(item.uuid for item in devices))
        except (StaysError, StartError, jupyter_client.LabSilentError, OSError) as error:
            await self._undone(place)
            words = error.detail if isinstance(error, StartError) else str(error)
            log.warning("cards.kept", allocation=key.allocation, words=words)
            return CardsMoved(key, Cards.KEPT, words)
        log.info("cards.left", allocation=key.allocation, way=way)
        return CardsMoved(key, Cards.AWAY, way)

    async def take(self, key: Key, devices: tuple[Device, ...]) -> CardsMoved:
        """Put it on these cards; raises `StartError` when it cannot have its share of them."""
        place = ContainerDir(self._root, key)
        await self._sharing.take(key, devices)
        words = await self._restored(place)
        place.hold(devices)
        _forget(place.path)
        log.info("cards.taken", allocation=key.allocation, words=words)
        return CardsMoved(key, Cards.HELD, words)

    async def _left(self, place: ContainerDir, uuids: frozenset[str]) -> str:
        """Leave the cards in the best way there is, and return its name."""
        endpoint = place.endpoint()
        if endpoint is None:
            raise StaysError("no_notebook")
        if (await jupyter_client.look(endpoint)).is_busy:
            raise StaysError("in_use")
        seen = await self._seen(place.key, uuids)
        way = "nothing"
        if seen.pids or _kept(place.path) or seen.is_simulated:
            way = await self._by_checkpoint(place, seen.pids) or await self._by_ending(
                place, endpoint, uuids, seen
            )
        await self._until_gone(place.key, uuids)
        await self._sharing.leave(place.key)
        place.hold((), is_away=True)
        return way

    async def _seen(self, key: Key, uuids: frozenset[str]) -> OnCards:
        seen = await self._see(key, uuids)
        if seen is None:
            raise StaysError("unmeasured: the driver does not tell whose processes are on the card")
        return seen

    async def _by_checkpoint(self, place: ContainerDir, on_cards: frozenset[int]) -> str | None:
        """Move the CUDA state to the host; None where that cannot be done."""
        pids = sorted(on_cards.union(_living(_kept(place.path))))
        if self._checkpointer is None or not pids:
            return None
        if await self._checkpointer.standing(pids) is Standing.OFF_CARD:
            return "checkpoint"
        _keep(place.path, [_saved_process(pid) for pid in pids])
        outcome = await self._checkpointer.leave(pids)
        if outcome.standing is Standing.OFF_CARD:
            return "checkpoint"
        _forget(place.path)
        log.info("checkpoint.impossible", allocation=place.key.allocation, words=outcome.words)
        return None

    async def _by_ending(
        self, place: ContainerDir, endpoint: Endpoint, uuids: frozenset[str], seen: OnCards
    ) -> str:
        """End the kernels that are on the cards, or all of them where nobody can tell which are."""
        now = self._clock.wall_ms() // 1000
        content: dict[str, int | str] = {"reason": NOTICE, "stop_at": now, "deadline": now}
        await asyncio.to_thread(Talk(place).write_notice, content)
        if seen.is_simulated:
            names: Collection[str] = await jupyter_client.kernel_ids(endpoint)
        else:
            names = {name for pid in seen.pids if (name := kernel_of(pid)) is not None}
        await jupyter_client.end_kernels(endpoint, names)
        await self._end_the_rest(place.key, uuids)
        return "kernels"

    async def _end_the_rest(self, key: Key, uuids: frozenset[str]) -> None:
        """End whatever else of it is on the cards, such as a program in a terminal."""
        for number in (signal.SIGTERM, signal.SIGKILL):
            if await self._are_gone(key, uuids, POLITE_S):
                return
            for pid in (await self._seen(key, uuids)).pids:
                with suppress(ProcessLookupError):
                    os.kill(pid, number)

    async def _are_gone(self, key: Key, uuids: frozenset[str], within_s: float) -> bool:
        loop = asyncio.get_running_loop()
        end = loop.time() + within_s
        while (await self._seen(key, uuids)).pids:
            if loop.time() >= end:
                return False
            await asyncio.sleep(POLL_S)
        return True

    async def _until_gone(self, key: Key, uuids: frozenset[str]) -> None:
        """Believe the cards alone: no process, and its memory back."""
        loop = asyncio.get_running_loop()
        end = loop.time() + self._gone_s
        while (seen := await self._seen(key, uuids)).pids or not seen.is_memory_back:
            if loop.time() >= end:
                raise StaysError("still_on_card" if seen.pids else "memory_not_returned")
            await asyncio.sleep(POLL_S)

    async def _undone(self, place: ContainerDir) -> None:
        """Let everything go on as before: the cards are still its own."""
        await self._restored(place)
        _forget(place.path)

    async def _restored(self, place: ContainerDir) -> str:
        """Bring back what was saved; return what was lost, empty for nothing."""
        pids = _living(_kept(place.path))
        if not pids or self._checkpointer is None:
            return ""
        if await self._checkpointer.standing(pids) is Standing.ON_CARD:
            return ""
        outcome = await self._checkpointer.come_back(pids)
        return "" if outcome.standing is Standing.ON_CARD else f"state_lost: {outcome.words}"


@dataclass(frozen=True, slots=True)
class _SavedProcess:
    """A process whose CUDA state is in the host's memory; its birth tells it from a namesake."""

    pid: int
    born: str


def _saved_process(pid: int) -> _SavedProcess:
    """Return a living process as it is remembered."""
    return _SavedProcess(pid, procfs.born(pid))


def _living(found: Sequence[_SavedProcess]) -> tuple[int, ...]:
    """Return those that still live."""
    return tuple(item.pid for item in found if item.born and procfs.born(item.pid) == item.born)


def _keep(folder: Path, found: Sequence[_SavedProcess]) -> None:
    """Remember these."""
    write_json(folder / FILE, {"processes": [asdict(item) for item in found]}, is_durable=True)


def _kept(folder: Path) -> tuple[_SavedProcess, ...]:
    """Return what is remembered; nothing where nothing was ever saved."""
    content = read_json(folder / FILE) or {"processes": []}
    return tuple(_SavedProcess(**item) for item in content["processes"])


def _forget(folder: Path) -> None:
    """Everything is back on its card, or ended."""
    (folder / FILE).unlink(missing_ok=True)
