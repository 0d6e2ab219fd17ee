"""The copy of a log from an engine that says what the test says."""

import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import docker
import pytest

from nodeagent.core.state import ContainerKey
from nodeagent.disk.container_dir import ContainerDir
from nodeagent.disk.log_end import LogShare
from nodeagent.disk.log_marks import read_marks
from nodeagent.docker.containers.log_copies import LogCopy
from tests.waiting import PATIENCE_S

LOG_BYTES = 16_000
SHARE = LogShare.of(LOG_BYTES)
BEGAN_S = 1_767_323_045
LINES = [b"%0999d\n" % number for number in range(200)]
REASON = b"ValueError: the reason\n"


class Engine:
    """Answers for the log of one container, of which a line is written each tenth of a second.

    After so many lines it hangs (`stuck_after`), or ends the stream too early (`ends_after`).
    """

    def __init__(
        self,
        lines: list[bytes],
        stuck_after: int | None = None,
        ends_after: int | None = None,
    ) -> None:
        self._lines = lines
        self._stuck_after = stuck_after
        self._ends_after = ends_after
        self.is_stuck = threading.Event()
        self.is_let_go = threading.Event()

    def logs(
        self,
        _name: str,
        *,
        stream: bool = False,
        tail: int = 0,
        follow: bool = False,
        since: int | None = None,
        **_: object,
    ) -> Any:
        if not stream:
            return b"".join(self._lines[-tail:])
        return self._follow() if follow else self._stamped(since or 0)

    def _follow(self) -> Iterator[bytes]:
        for number, line in enumerate(self._stamped(0)):
            if number == self._ends_after:
                return
            if number == self._stuck_after:
                self.is_stuck.set()
                self.is_let_go.wait()
            yield line

    def _stamped(self, since: int) -> Iterator[bytes]:
        for number, line in enumerate(self._lines):
            second, tenth = divmod(number, 10)
            if BEGAN_S + second >= since:
                moment = datetime.fromtimestamp(BEGAN_S + second, UTC).replace(tzinfo=None)
                yield f"{moment.isoformat()}.{tenth}00000000Z ".encode() + line


@pytest.fixture
def place(tmp_path: Path) -> ContainerDir:
    directory = ContainerDir(tmp_path, ContainerKey("job.0", 1))
    directory.path.mkdir()
    directory.log_path.touch()
    return directory


def a_copy(place: ContainerDir, engine: Engine) -> LogCopy:
    client = cast("docker.DockerClient", SimpleNamespace(api=engine))
    return LogCopy(place, "job", LOG_BYTES, lambda: client)


def finish(copy: LogCopy) -> None:
    copy.finish(PATIENCE_S)


def test_the_end_is_put_behind_the_beginning(place: ContainerDir) -> None:
    finish(a_copy(place, Engine([*LINES, REASON])))

    said, kept = b"".join([*LINES, REASON]), place.log_path.read_bytes()
    left_out = said[SHARE.beginning : -SHARE.end]
    counts = (left_out.count(b"\n"), len(left_out))
    gap = b"\n[... at least %d lines, %d bytes left out ...]\n" % counts
    assert kept == said[: SHARE.beginning] + gap + said[-SHARE.end :]
    marks = read_marks(place.marks_path, SHARE.beginning, len(kept))
    assert {mark.at_ms // 1000 - BEGAN_S for mark in marks} == {19}


@pytest.mark.parametrize("count", [1, 14, 15, 16])
def test_a_log_that_has_room_is_whole(place: ContainerDir, count: int) -> None:
    finish(a_copy(place, Engine(LINES[:count])))

    assert place.log_path.read_bytes() == b"".join(LINES[:count])


def test_a_new_agent_finds_the_end_and_appends_it_once(place: ContainerDir) -> None:
    first = Engine(LINES, stuck_after=50)
    a_copy(place, first)
    assert first.is_stuck.wait(PATIENCE_S)
    second = a_copy(place, Engine([*LINES, REASON]))
    finish(second)
    kept = place.log_path.read_bytes()
    finish(a_copy(place, Engine([*LINES, REASON])))
    first.is_let_go.set()

    assert kept.endswith(REASON)
    assert kept.count(b"left out") == 1
    assert place.log_path.read_bytes() == kept


@pytest.mark.parametrize("ends_after", [0, 1, 9, 10, 11, 15, 57, 199, 200])
def test_the_rest_is_read_where_the_stream_ends_too_early(
    place: ContainerDir, tmp_path: Path, ends_after: int
) -> None:
    lines = [*LINES, REASON]
    whole = ContainerDir(tmp_path, ContainerKey("whole.0", 1))
    whole.path.mkdir()
    whole.log_path.touch()
    finish(a_copy(whole, Engine(lines)))

    finish(a_copy(place, Engine(lines, ends_after=ends_after)))

    assert place.log_path.read_bytes() == whole.log_path.read_bytes()
    assert place.marks_path.read_bytes() == whole.marks_path.read_bytes()


def test_the_last_lines_are_asked_for_where_the_copy_is_behind(place: ContainerDir) -> None:
    engine = Engine([*LINES, REASON], stuck_after=5)
    copy = a_copy(place, engine)
    assert engine.is_stuck.wait(PATIENCE_S)
    copy.finish(timeout_s=0)
    engine.is_let_go.set()

    kept = place.log_path.read_bytes()
    assert b"\n[... part of the output left out ...]\n" in kept
    assert kept.endswith((LINES[-1] + REASON)[-SHARE.end :])
