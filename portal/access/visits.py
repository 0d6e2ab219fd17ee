"""One person inside one container: counted, recorded, watched, and shown out.

Whatever the way in, a visit holds a place of its user, leaves two lines in the audit log, and ends
within five seconds of the rights on which it was let in.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Final

import structlog
from django.db import DatabaseError

from portal.access import services
from portal.access.rendezvous import NodeEnd, Rendezvous
from portal.access.services import Target, Way
from portal.common.actor import Actor
from portal.common.errors import ConflictError, DomainError, ExhaustedError
from portal.common.races import first
from portal.common.seats import Seats
from portal.common.threads import in_thread
from portal.live.callers import RECHECK_S
from wire.messages import OpenStream

SIDE_MAX: Final = 1000
"""Columns, and rows, of a terminal."""
STREAMS_PER_USER_MAX: Final = 64
"""Terminals and connections of one user at a time."""
IDLE_S: Final = 4 * 3600.0
"""Without a byte in either direction."""
VISIT_S_MAX: Final = 24 * 3600.0
"""How long one terminal or connection may stay open."""
LOOK_S: Final = 30.0
"""Between two looks at how long they have been open."""
UNNAMED: Final = "unnamed"
"""Until the rendezvous gives a stream its name."""

Admit = Callable[[], Awaitable[tuple[Actor, Target]]]
"""Asks who this is and where it leads now; raises `DomainError` once it leads nowhere."""
logger = structlog.get_logger(__name__)


class Activity:
    """When bytes last passed."""

    def __init__(self) -> None:
        """Start with now."""
        self._at = asyncio.get_running_loop().time()
        self._has_input = False

    def note(self, *, is_input: bool = False) -> None:
        """Remember that bytes pass; `is_input`: from the person to the container."""
        self._at = asyncio.get_running_loop().time()
        self._has_input = self._has_input or is_input

    def had_input(self) -> bool:
        """Tell whether the person has sent anything since the last question."""
        found, self._has_input = self._has_input, False
        return found

    def idle_s(self) -> float:
        """Return for how long none have passed."""
        return asyncio.get_running_loop().time() - self._at


@dataclass(slots=True)
class Visit:
    """Somebody inside a container."""

    actor: Actor
    target: Target
    node: NodeEnd
    reason: str = "left"
    """What ended it, for the record."""
    activity: Activity = field(default_factory=Activity)


@dataclass(frozen=True, slots=True)
class Visits:
    """Lets people in and watches over them; one for all ways of the process."""

    rendezvous: Rendezvous
    seats: Seats = field(default_factory=lambda: Seats(STREAMS_PER_USER_MAX))

    @asynccontextmanager
    async def enter(
        self, admit: Admit, order: Callable[[Target], OpenStream], way: Way, detail: str = ""
    ) -> AsyncIterator[Visit]:
        """Let somebody in for the block; raises `DomainError` when that cannot be."""
        actor, target = await admit()
        with self.seats.take(actor.user_id) as has_place:
            if not has_place:
                raise ExhaustedError("too_many_visits", limit=self.seats.limit)
            async with self.rendezvous.stream(target.node_id, order(target)) as node:
                visit = Visit(actor, target, node)
                began_at = await in_thread(services.note_begin, actor, target, way, detail)
                try:
                    yield visit
                finally:
                    await asyncio.shield(self._leave(visit, way, began_at))

    async def stay(self, visit: Visit, admit: Admit, *work: Coroutine[Any, Any, str]) -> str:
        """Do the work until some of it ends, time is over or rights are gone; return the reason."""
        visit.reason = await first(*work, _until_unwelcome(visit, admit), _until_late(visit))
        return visit.reason

    async def _leave(self, visit: Visit, way: Way, began_at: Any) -> None:
        try:
            await in_thread(
                services.note_end, visit.actor, visit.target, way, began_at, visit.reason
            )
        except (DatabaseError, TimeoutError) as error:
            logger.warning("visit.end_unrecorded", error=repr(error))


def still_there(known: Target, found: Target) -> bool:
    """Tell whether the same container is meant: not another attempt, not another node."""
    return (known.node_id, known.allocation, known.epoch) == (
        found.node_id,
        found.allocation,
        found.epoch,
    )


async def _until_unwelcome(visit: Visit, admit: Admit) -> str:
    while True:
        await asyncio.sleep(RECHECK_S)
        try:
            _, found = await admit()
        except ConflictError:
            return "container_gone"
        except DomainError:
            return "revoked"
        except (DatabaseError, TimeoutError) as error:
            logger.warning("visit.unchecked", error=repr(error))
            return "unchecked"
        if not still_there(visit.target, found):
            return "container_gone"


async def _until_late(visit: Visit) -> str:
    loop = asyncio.get_running_loop()
    end = loop.time() + VISIT_S_MAX
    while visit.activity.idle_s() < IDLE_S:
        if loop.time() >= end:
            return "too_long"
        await asyncio.sleep(LOOK_S)
        if visit.activity.had_input():
            await _note_use(visit)
    return "idle"


async def _note_use(visit: Visit) -> None:
    try:
        await in_thread(services.note_use, visit.target)
    except (DatabaseError, DomainError, TimeoutError) as error:
        logger.warning("visit.use_unnoted", error=repr(error))


def terminal_order(
    target: Target, *, columns: int, rows: int, command: str = "", has_tty: bool = True
) -> OpenStream:
    """Return what a node is asked for a shell or a command."""
    return OpenStream(
        stream=UNNAMED,
        allocation=target.allocation,
        epoch=target.epoch,
        kind="terminal",
        columns=columns,
        rows=rows,
        command=command,
        has_tty=has_tty,
    )


def port_order(target: Target, port: int) -> OpenStream:
    """Return what a node is asked for a connection to a port."""
    return OpenStream(
        stream=UNNAMED, allocation=target.allocation, epoch=target.epoch, kind="port", port=port
    )
