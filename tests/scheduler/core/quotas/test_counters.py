"""Limits that count work: tasks of an array at once, work of a member at once."""

import pytest

from scheduler.core.model.entities import GroupId
from scheduler.core.model.reasons import Reason, ReasonCode
from scheduler.core.model.snapshot import Snapshot
from scheduler.core.model.undo_log import UndoLog
from scheduler.core.quotas.array_counters import ArrayCounters
from scheduler.core.quotas.member_counters import MemberCounters
from tests.scheduler.core.tables import a_snapshot

Row = tuple[list[str], str, tuple[int, int] | None]
"""Running work, the waiting work; how many run of how many when it is refused."""

TASKS: dict[str, Row] = {
    "the first task": ([], "array sweep", None),
    "below the limit": (["array sweep"], "array sweep", None),
    "at the limit": (["array sweep"] * 2, "array sweep", (2, 2)),
    "above the limit, which was lowered": (["array sweep"] * 3, "array sweep", (3, 2)),
    "a task that stops still counts": (["array sweep, stopping"] * 2, "array sweep", (2, 2)),
    "tasks of another array do not count": (["array free"] * 2, "array sweep", None),
    "an array without a limit": (["array free"] * 3, "array free", None),
    "work of no array": (["array sweep"] * 2, "1 cards", None),
}


def _site(running: list[str], waiting: str) -> Snapshot:
    return a_snapshot(
        nodes=["n1: 8 cards"],
        groups=["lab", "vision"],
        arrays=["sweep: 2 at once"],
        counted=["li: 2 running in lab", "wu: 0 running in lab", "ma: 9 running in vision"],
        running=[f"r{number}: 1 cards on n1, {words}" for number, words in enumerate(running)],
        waiting=[f"w: 1 cards, {waiting}"],
    )


@pytest.mark.parametrize("row", TASKS.values(), ids=TASKS)
def test_tasks_of_an_array_at_once(row: Row) -> None:
    running, waiting, refused = row
    site = _site(running, waiting)

    found = ArrayCounters(site, UndoLog()).refusals(site.pending[0])

    assert found == _reasons(ReasonCode.ARRAY_TASK_LIMIT, refused)


MEMBERS: dict[str, Row] = {
    "the first": ([], "by li", None),
    "below the limit": (["by li"], "by li", None),
    "at the limit": (["by li"] * 2, "by li", (2, 2)),
    "above the limit, which was lowered": (["by li"] * 3, "by li", (3, 2)),
    "a limit of nothing": ([], "by wu", (0, 0)),
    "the work of others does not count": (["by wu"] * 3, "by li", None),
    "work in another group does not count": (["by li of vision"] * 3, "by li", None),
    "who has no limit": (["by xu"] * 3, "by xu", None),
    "who has a limit in another group only": (["by ma"] * 3, "by ma", None),
}


@pytest.mark.parametrize("row", MEMBERS.values(), ids=MEMBERS)
def test_work_of_a_member_at_once(row: Row) -> None:
    running, waiting, refused = row
    site = _site(running, waiting)

    found = MemberCounters(site, UndoLog()).refusals(site.pending[0])

    assert found == _reasons(ReasonCode.USER_COUNTER, refused)


def test_starts_and_ends_count_until_they_are_undone() -> None:
    site = _site(["array sweep, by li"], "array sweep, by li")
    (work,), log = site.pending, UndoLog()
    tasks, members = ArrayCounters(site, log), MemberCounters(site, log)
    mark = log.mark()

    tasks.count(work, 1)
    members.count(work, 1)
    assert tasks.refusals(work)
    assert members.refusals(work)

    tasks.count(site.running[0], -1)
    members.count(site.running[0], -1)
    assert not tasks.refusals(work)
    assert not members.refusals(work)

    log.undo(mark)
    tasks.count(work, 1)
    members.count(work, 1)
    assert tasks.refusals(work)
    assert members.refusals(work)


def test_work_without_a_limit_is_counted_nowhere() -> None:
    site = _site([], "by xu, array free")
    (work,), log = site.pending, UndoLog()

    ArrayCounters(site, log).count(work, 1)
    MemberCounters(site, log).count(work, 1)

    assert log.mark() == 0


def test_only_groups_with_counted_members_and_arrays_with_a_limit_are_asked() -> None:
    site = _site([], "array sweep")
    members, tasks = MemberCounters(site, UndoLog()), ArrayCounters(site, UndoLog())

    assert members.has_any(GroupId("lab"))
    assert members.has_any(GroupId("vision"))
    assert not members.has_any(GroupId("club"))
    assert tasks.limited(site.pending[0]) == "sweep"
    assert tasks.limited(_site([], "array free").pending[0]) is None
    assert tasks.limited(_site([], "by li").pending[0]) is None


def _reasons(code: ReasonCode, refused: tuple[int, int] | None) -> tuple[Reason, ...]:
    if refused is None:
        return ()
    params: dict[str, int | str] = {"used": refused[0], "limit": refused[1]}
    if code is ReasonCode.USER_COUNTER:
        params["counter"] = "running"
    return (Reason(code, params),)
