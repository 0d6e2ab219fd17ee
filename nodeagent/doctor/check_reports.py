"""Tells the portal what the doctor finds on this host, beside the heartbeat."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Final, Protocol, Self

from nodeagent.config import AgentConfig
from nodeagent.doctor.collector import collect_facts
from nodeagent.doctor.findings import Finding
from nodeagent.doctor.report import run_checks
from nodeagent.host.threads import run_in_shared_thread
from wire.node_checks import CHECK_TEXT_MAX, CHECKS_MAX, FIX_MAX, NodeCheck, NodeChecksReport

REPORT_S: Final = 600.0
"""Between two examinations: what they find seldom changes."""
RETRY_S: Final = 60.0
"""Until the next one where the portal has not taken a report."""


class ChecksPortal(Protocol):
    """The portal, as far as it shows what the doctor finds."""

    async def report_checks(self, report: NodeChecksReport) -> bool:
        """Report, and return whether the portal has taken it."""


def to_report(found: Sequence[Finding]) -> NodeChecksReport:
    """Return the findings as the portal takes them: bounded; half a command is no command."""
    return NodeChecksReport(
        checks=tuple(
            NodeCheck(
                code=item.code,
                level=item.level,
                en=item.en[:CHECK_TEXT_MAX],
                zh=item.zh[:CHECK_TEXT_MAX],
                fix=item.fix if len(item.fix) <= FIX_MAX else "",
            )
            for item in found[:CHECKS_MAX]
        )
    )


class CheckReports:
    """Examines the host when the agent starts and every few minutes."""

    def __init__(self, examine: Callable[[], Sequence[Finding]], portal: ChecksPortal) -> None:
        self._examine = examine
        self._portal = portal

    @classmethod
    def of_host(cls, config: AgentConfig, portal: ChecksPortal) -> Self:
        """Return the reports about this host."""
        return cls(lambda: run_checks(collect_facts(config)), portal)

    async def run(self) -> None:
        """Examine and report until cancelled."""
        while True:
            is_known = await self.report()
            await asyncio.sleep(REPORT_S if is_known else RETRY_S)

    async def report(self) -> bool:
        """Examine once; return whether the portal knows the outcome."""
        # A folder of a storage that is gone may hang: then nothing else of the agent waits for it.
        found = await run_in_shared_thread(self._examine, "checks")
        return await self._portal.report_checks(to_report(found))
