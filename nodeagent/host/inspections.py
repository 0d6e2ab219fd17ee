"""Inspections of the host, side by side, none of which may hold the others up."""

import asyncio
from collections.abc import Sequence
from typing import Final

import structlog

from nodeagent.ports import Inspection, InspectionFindings

log = structlog.get_logger()

INSPECTION_S: Final = 4.0


class InspectionRunner:
    """Keeps the newest answer of each inspection; one that is silent or fails keeps its last."""

    def __init__(self, inspections: Sequence[Inspection]) -> None:
        self._inspections = tuple(inspections)
        self._answers = [InspectionFindings() for _ in self._inspections]
        self._failing: dict[int, str] = {}

    async def run_all(self) -> None:
        """Ask all of them once."""
        await asyncio.gather(*(self._run(place) for place in range(len(self._inspections))))

    @property
    def latest(self) -> InspectionFindings:
        """Return everything that was found, as one."""
        answers = self._answers
        sizes = [item for item in answers if item.disk_mib is not None]
        return InspectionFindings(
            faults=tuple(fault for item in answers for fault in item.faults),
            versions={name: text for item in answers for name, text in item.versions.items()},
            disk_mib=sizes[0].disk_mib if sizes else None,
            disk_free_mib=sizes[0].disk_free_mib if sizes else None,
        )

    async def _run(self, place: int) -> None:
        try:
            async with asyncio.timeout(INSPECTION_S):
                self._answers[place] = await self._inspections[place].inspect()
            self._failing.pop(place, None)
        except Exception as error:  # one inspection that fails must not blind the others
            # Said once: it is looked at every few seconds, and an engine may be away for days.
            if self._failing.get(place) != type(error).__name__:
                self._failing[place] = type(error).__name__
                log.exception("inspection.failed", place=place)
