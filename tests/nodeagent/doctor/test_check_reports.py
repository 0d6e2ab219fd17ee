"""What an agent tells the portal of its host, and when."""

import asyncio

import pytest

from nodeagent.doctor import check_reports
from nodeagent.doctor.check_reports import CheckReports, to_report
from nodeagent.doctor.findings import fail, ok
from wire.node_checks import CHECK_TEXT_MAX, CHECKS_MAX, FIX_MAX, NodeChecksReport
from wire.words import CheckLevel


class Portal:
    """Takes reports from the second one on."""

    def __init__(self) -> None:
        self.told: list[NodeChecksReport] = []

    async def report_checks(self, report: NodeChecksReport) -> bool:
        self.told.append(report)
        return len(self.told) > 1


def test_findings_are_bounded_and_half_a_command_is_left_out() -> None:
    long = fail("egress", "x" * 2 * CHECK_TEXT_MAX, "长" * 2 * CHECK_TEXT_MAX, "y" * (FIX_MAX + 1))
    short = fail("root", "not root", "非 root", "sudo …")
    report = to_report((long, short, *[ok("clock", "right", "一致")] * CHECKS_MAX))
    assert len(report.checks) == CHECKS_MAX
    first, second, third = report.checks[:3]
    assert (len(first.en), len(first.zh), first.fix) == (CHECK_TEXT_MAX, CHECK_TEXT_MAX, "")
    assert (second.code, second.level, second.fix) == ("root", CheckLevel.FAIL, "sudo …")
    assert third.level is CheckLevel.OK


def test_the_host_is_examined_at_the_start_and_sooner_again_if_nobody_heard(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    portal, pauses = Portal(), []

    async def pause(seconds: float) -> None:
        pauses.append(seconds)
        if len(pauses) == 2:
            raise asyncio.CancelledError

    monkeypatch.setattr(asyncio, "sleep", pause)
    reports = CheckReports(lambda: (ok("clock", "right", "一致"),), portal)
    with pytest.raises(asyncio.CancelledError):
        asyncio.run(reports.run())
    assert pauses == [check_reports.RETRY_S, check_reports.REPORT_S]
    assert [item.checks[0].code for item in portal.told] == ["clock", "clock"]
