"""Runs the inspections of the host concurrently, so that none delays the others."""

import asyncio
from collections.abc import Sequence
from typing import Final

import structlog

from nodeagent.ports import Inspection, InspectionFindings

log = structlog.get_logger()

INSPECTION_S: Final = 4.0


class InspectionRunner:
    """Keeps the last result of each inspection; one that hangs or fails keeps its previous result."""

    def __init__(self, inspections: Sequence[Inspection]) -> None:
        self._inspections = tuple(inspections)
        self._answers = [InspectionFindings() for _ in self._inspections]
        self._failing: dict[int, str] = {}

    async def run_all(self) -> None:
        """Run all inspections once."""
        await asyncio.gather(*(self._run(place) for place in range(len(self._inspections))))

    @property
    def latest(self) -> InspectionFindings:
        """Return the last findings of all inspections combined."""
        answers = self._answers
        sizes = [item for item in answers if item.disk_mib is not None]
        folders = [item.dataset_folders for item in answers if item.dataset_folders is not None]
        return InspectionFindings(
            faults=tuple(fault for item in answers for fault in item.faults),
            versions={name: text for item in answers for name, text in item.versions.items()},
            disk_mib=sizes[0].disk_mib if sizes else None,
            disk_free_mib=sizes[0].disk_free_mib if sizes else None,
            dataset_folders=folders[0] if folders else None,
        )

    async def _run(self, place: int) -> None:
        try:
            async with asyncio.timeout(INSPECTION_S):
                self._answers[place] = await self._inspections[place].inspect()
            self._failing.pop(place, None)
        except Exception as error:  # one failing inspection must not stop the others
            # Logged once: inspections run every few seconds, and an engine may be down for days.
            if self._failing.get(place) != type(error).__name__:
                self._failing[place] = type(error).__name__
                log.exception("inspection.failed", place=place)
