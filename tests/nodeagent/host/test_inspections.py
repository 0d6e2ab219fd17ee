"""What looks at the host side by side: one that fails blinds no other, and fills no log."""

from structlog.testing import capture_logs

from nodeagent.host.inspections import InspectionRunner
from nodeagent.ports import InspectionFindings, RuntimeUnavailableError
from wire.facts import NodeFault

FULL = InspectionFindings(faults=(NodeFault(code="disk_full"),))


class Fixed:
    """Finds always the same."""

    async def inspect(self) -> InspectionFindings:
        return FULL


class Failing:
    """Fails as often as it is told to, in the way that it is told."""

    error: Exception | None = None

    async def inspect(self) -> InspectionFindings:
        if self.error is not None:
            raise self.error
        return InspectionFindings()


async def test_failure_is_said_once_until_it_is_over_or_another() -> None:
    failing = Failing()
    inspected = InspectionRunner((failing, Fixed()))
    said = []
    for error in (
        RuntimeUnavailableError("1"),
        RuntimeUnavailableError("2"),
        None,
        RuntimeUnavailableError("3"),
        OSError(),
    ):
        failing.error = error
        with capture_logs() as logs:
            await inspected.run_all()
        said.append(len(logs))
        assert inspected.latest.faults == FULL.faults
    assert said == [1, 0, 0, 1, 1]
