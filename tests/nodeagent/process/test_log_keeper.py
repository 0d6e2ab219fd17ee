"""What is left of the log of work that writes faster, longer or on other disks than most."""

import errno
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from nodeagent.core.state import ContainerKey
from nodeagent.disk.container_dir import ContainerDir, LaunchSpec
from nodeagent.disk.log_end import LogShare, append_end, complete_end
from nodeagent.disk.log_marks import read_marks
from nodeagent.process import control
from nodeagent.process.fence import ProcessFence
from nodeagent.process.launch import ProcessSettings
from nodeagent.process.log_keeper import LOOK_MAX, LogKeeper, punch_hole
from nodeagent.process.runtime import ProcessRuntime
from tests.fakes.work import an_order, ignore_progress
from tests.waiting import wait_until_async
from wire.words import ExitCause

KEY = ContainerKey("job.0", 1)
LOG_BYTES = 16_000
SHARE = LogShare.of(LOG_BYTES)
REASON = b"ValueError: the reason\n"


@pytest.fixture
def place(tmp_path: Path) -> ContainerDir:
    directory = ContainerDir(tmp_path, KEY)
    os.close(directory.create(()))
    return directory


def write(place: ContainerDir, text: bytes) -> None:
    with place.log_path.open("ab") as file:
        file.write(text)


def make_no_hole(_path: Path, _offset: int, _length: int) -> None:
    raise OSError(errno.EOPNOTSUPP, "no hole was made")


@pytest.mark.parametrize(("punch", "least"), [(punch_hole, b""), (make_no_hole, b"at least ")])
def test_the_disk_gets_the_middle_back_and_the_end_is_kept(
    place: ContainerDir, punch: Callable[[Path, int, int], None], least: bytes
) -> None:
    keeper, said = LogKeeper(place, LOG_BYTES, punch), b""
    for number in range(400):
        said += b"%0999d\n" % number
        write(place, b"%0999d\n" % number)
        keeper.look(number * 1000)
        assert place.log_path.stat().st_blocks * 512 < 3 * LOG_BYTES
    write(place, REASON)
    keeper.look(400_000)
    keeper.finish()

    said, kept = said + REASON, place.log_path.read_bytes()
    left_out = said[SHARE.beginning : -SHARE.end]
    counts = b"%d lines, %d bytes" % (left_out.count(b"\n"), len(left_out))
    gap = b"\n[... " + least + counts + b" left out ...]\n"
    assert kept == said[: SHARE.beginning] + gap + said[-SHARE.end :]
    marks = read_marks(place.marks_path, 0, 10 * LOG_BYTES)
    assert [mark.at_ms for mark in marks][-2:] == [399_000, 400_000]
    assert marks[-1].offset == len(kept) - len(REASON)


def test_a_log_is_whole_up_to_beginning_and_end_together(place: ContainerDir) -> None:
    keeper, said = LogKeeper(place, LOG_BYTES), b"0123456\n" * (LOG_BYTES // 8)
    write(place, said)
    keeper.look(1_000)
    keeper.finish()

    assert place.log_path.read_bytes() == said
    assert [mark.at_ms for mark in read_marks(place.marks_path, 0, LOG_BYTES)] == [1_000]


def test_one_look_is_bounded_however_much_was_written(place: ContainerDir) -> None:
    """A whole TiB, which takes no room."""
    write(place, b"first\n")
    os.truncate(place.log_path, 1 << 40)
    keeper = LogKeeper(place, LOG_BYTES)
    write(place, b"\n@metrics loss=1\n" + REASON)
    keeper.look(1_000)
    keeper.finish()

    kept = place.log_path.read_bytes()
    assert kept.startswith(b"first\n")
    assert b"\n[... at least " in kept
    assert kept.endswith(REASON)
    assert place.read_excess(0, 100) == b"@metrics loss=1\n"
    assert LOOK_MAX == 64 * 1024 * 1024


def test_a_line_that_was_skipped_in_part_is_no_metric(place: ContainerDir) -> None:
    keeper = LogKeeper(place, LOG_BYTES)
    write(place, b"x" * SHARE.beginning + b"\n@metrics loss=0.1")
    keeper.look(1_000)
    os.truncate(place.log_path, LOOK_MAX + 2 * LOG_BYTES)
    write(place, b"\n")
    keeper.look(2_000)

    assert place.read_excess(0, 100) == b""


def test_an_end_is_appended_once_whatever_interrupts_it(place: ContainerDir) -> None:
    write(place, b"0123456789")
    append_end(place.log_path, 5, b" the end\n")
    complete_end(place.log_path, 5)
    assert place.log_path.read_bytes() == b"01234 the end\n"

    # As a crash leaves it after the file of what is appended, and a part of it.
    (place.path / "end").write_bytes(b" the end\n")
    os.truncate(place.log_path, 8)
    complete_end(place.log_path, 5)
    assert place.log_path.read_bytes() == b"01234 the end\n"


def test_a_log_that_was_shortened_stays_as_it_is(place: ContainerDir) -> None:
    write(place, b"x\n" * LOG_BYTES)
    place.write_launch(LaunchSpec((), {}, "/", 1, 0, LOG_BYTES))
    keeper = LogKeeper(place, LOG_BYTES)
    keeper.look(1_000)
    keeper.finish()
    kept = place.log_path.read_bytes()

    LogKeeper(place, LOG_BYTES).finish()

    assert place.log_path.read_bytes() == kept


async def test_a_killed_shim_costs_no_end_of_a_log(tmp_path: Path) -> None:
    root = tmp_path / "containers"
    settings = ProcessSettings(
        *("node", tmp_path / "storage", "127.0.0.1", {}, Path(sys.prefix)), log_bytes_max=LOG_BYTES
    )
    runtime, place = ProcessRuntime(root, settings), ContainerDir(root, KEY)
    said = (
        "import signal; print(('x' * 99 + '\\n') * 9000, end=''); "
        "print('@metrics loss=1\\nValueError: the reason', flush=True); signal.pause()"
    )
    size = 900_000 + len(b"@metrics loss=1\n" + REASON)
    try:
        await runtime.start(an_order((sys.executable, "-c", said)), ignore_progress)
        await wait_until_async(lambda: place.log_path.stat().st_size == size)
        await wait_until_async(lambda: place.read_excess(0, 100) != b"")
        shim = control.find_shim_pid(place)
        assert shim is not None
        os.kill(shim, signal.SIGKILL)
        end = await ProcessRuntime(root, settings).wait_for_end(KEY)
        kept = await runtime.read_log(KEY, 0, 10 * LOG_BYTES)
    finally:
        ProcessFence(root).kill_all()

    gap = b"\n[... %d bytes left out ...]\n" % (size - LOG_BYTES)
    assert end.cause is ExitCause.VANISHED
    assert kept[SHARE.beginning : -SHARE.end] == gap
    assert kept.endswith(REASON)
    assert place.read_excess(0, 100) == b"@metrics loss=1\n"
