"""Reads routes and writes reports, each second at least; with the database away both continue as they can."""

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Final

import structlog
from django.db import DatabaseError

from portal.common.clock import now
from portal.common.concurrency import run_in_thread
from portal.common.ids import new_id
from portal.inference.plane import Plane
from portal.serving_usage.loads import LoadReport, SecondOfLoad
from portal.serving_usage.routes import RouteTable

EVERY_S: Final = 1.0
"""Between two reports of load."""
WAITING_MAX: Final = 3600
"""Seconds of services that wait for the database; the oldest are lost first, the use of keys never."""
STOP_WITHIN_S: Final = 5.0
"""How long the last report may take when the process ends."""

logger = structlog.get_logger(__name__)
LoadRoutes = Callable[[], RouteTable]
RecordReport = Callable[[LoadReport], bool]


async def follow_routes(plane: Plane, load_routes: LoadRoutes) -> None:
    """Read the table again and again until cancelled; the last one counts while that fails."""
    while True:
        await read_routes(plane, load_routes)
        await plane.newer.until_due()


async def read_routes(plane: Plane, load_routes: LoadRoutes) -> None:
    """Read the table once."""
    with plane.newer.reading():
        try:
            table = await run_in_thread(load_routes)
        except (DatabaseError, TimeoutError) as error:
            if not plane.is_stale:
                since = str(plane.loaded_at)
                logger.warning("inference.routes_stale", since=since, error=repr(error))
            plane.is_stale = True
        else:
            plane.update(table)


class Reporter:
    """Reports the load of each second and the use of keys; a report is repeated until it is stored."""

    def __init__(self, plane: Plane, record_report: RecordReport, process: str) -> None:
        """Report as this process."""
        self._plane = plane
        self._record = record_report
        self._process = process
        self._seconds: deque[SecondOfLoad] = deque(maxlen=WAITING_MAX)
        self._unsent: LoadReport | None = None

    async def run(self) -> None:
        """Report each second until cancelled."""
        while True:
            await asyncio.sleep(EVERY_S - now().timestamp() % EVERY_S)
            self.close_second()
            await self.send()

    def close_second(self) -> None:
        """Take what was seen since the last call as the second that has just begun to be over."""
        self._seconds.extend(self._plane.close_second(now().replace(microsecond=0)))

    async def send(self) -> bool:
        """Send what is pending; what may have been stored is sent again as it was, under its id."""
        if self._unsent is None:
            seconds, keys = tuple(self._seconds), self._plane.keys.take()
            if not seconds and not keys:
                return True
            self._seconds.clear()
            self._unsent = LoadReport(new_id(), self._process, seconds, keys)
        try:
            await run_in_thread(self._record, self._unsent)
        except (DatabaseError, TimeoutError) as error:
            logger.warning("inference.report_waits", error=repr(error))
            return False
        self._unsent = None
        return True

    async def finish(self) -> None:
        """Send all that is left, when the last request has ended."""
        self.close_second()
        try:
            async with asyncio.timeout(STOP_WITHIN_S):
                if await self.send():  # what an earlier attempt left may have been sent, not this
                    await self.send()
        except TimeoutError:
            logger.warning("inference.report_lost", seconds=len(self._seconds))
