"""Event files in the outputs of a job are followed; what else lies there costs little and leads nowhere."""

import os
import time
from pathlib import Path

import pytest

from nodeagent.core.state import ContainerKey
from nodeagent.disk.container_dir import ContainerDir, WorkFolder
from nodeagent.host.event_files import ENTRIES_MAX, FILES_MAX, find_event_files
from nodeagent.telemetry.event_metrics import PASS_BYTES, EventMetrics
from portal.training_metrics.metric_lines import read_lines
from tests.builders.event_files import framed, old_scalar, write_events

KEY = ContainerKey("job.0", 1)
EVENT_FILE = "events.out.tfevents.1"
LONG = 10**9


@pytest.fixture
def outputs(tmp_path: Path) -> Path:
    """The outputs of a job that has just started."""
    folder = tmp_path / "storage" / "outputs" / "job"
    folder.mkdir(parents=True)
    directory = ContainerDir(tmp_path / "containers", KEY)
    os.close(directory.create(()))
    directory.write_work_folder(WorkFolder(folder, 0))
    directory.write_started(int(time.time() * 1000) - 1000)
    return folder


@pytest.fixture
def metrics(tmp_path: Path) -> EventMetrics:
    return EventMetrics(tmp_path / "containers", pass_s=0)


async def read_all(metrics: EventMetrics) -> bytes:
    """Read as the shipper does, from the beginning until there is no more."""
    text = b""
    while piece := await metrics.read_log(KEY, len(text), 64 * 1024):
        text += piece
    return text


def told(text: bytes) -> list[tuple[int | None, dict[str, float]]]:
    read = read_lines(text)
    assert read.malformed == 0
    return [(line.step, line.values) for line in read.lines]


def scalars(*steps: int, tag: str = "loss") -> bytes:
    return b"".join(
        framed(old_scalar(tag, float(step), step).SerializeToString()) for step in steps
    )


async def test_a_file_is_followed_while_it_grows(outputs: Path, metrics: EventMetrics) -> None:
    file, text = outputs / EVENT_FILE, scalars(1, 2)
    file.write_bytes(text[:-3])
    first = await read_all(metrics)
    with file.open("ab") as more:
        more.write(text[-3:] + scalars(3))

    whole = await read_all(metrics)

    assert told(first) == [(1, {"loss": 1})]
    assert told(whole) == [(1, {"loss": 1}), (2, {"loss": 2}), (3, {"loss": 3})]


async def test_a_new_agent_goes_on_where_the_last_one_was(
    outputs: Path, metrics: EventMetrics, tmp_path: Path
) -> None:
    file = outputs / EVENT_FILE
    file.write_bytes(scalars(1))
    first = await read_all(metrics)
    # It was killed after it had written lines and before it had kept where they come from.
    with ContainerDir(tmp_path / "containers", KEY).events_path.open("ab") as lines:
        lines.write(b"@metrics step=2 lo")
    with file.open("ab") as more:
        more.write(scalars(2))

    whole = await read_all(EventMetrics(tmp_path / "containers"))

    assert whole.startswith(first)
    assert told(whole) == [(1, {"loss": 1}), (2, {"loss": 2})]


async def test_runs_beside_the_first_have_its_name_before_theirs(
    outputs: Path, metrics: EventMetrics
) -> None:
    write_events(outputs / "logs" / "train", old_scalar("loss", 1, 1))
    write_events(outputs / "logs" / "validation", old_scalar("loss", 2, 1))

    assert told(await read_all(metrics)) == [(1, {"loss": 1}), (1, {"validation/loss": 2})]


async def test_files_of_an_earlier_attempt_are_not_read_again(
    outputs: Path, metrics: EventMetrics
) -> None:
    old = outputs / EVENT_FILE
    old.write_bytes(scalars(1, 2, 3))
    os.utime(old, (1, 1))
    (outputs / "events.out.tfevents.2").write_bytes(scalars(2))

    assert told(await read_all(metrics)) == [(2, {"loss": 2})]


async def test_a_file_with_much_else_in_it_is_read_in_passes(
    outputs: Path, metrics: EventMetrics
) -> None:
    noise = framed(b"\xff" * 60_000)
    count = 3 * PASS_BYTES // len(noise)
    (outputs / EVENT_FILE).write_bytes(noise * count + scalars(1))
    (outputs / "events.out.tfevents.2").write_bytes(scalars(2))

    assert told(await read_all(metrics)) == [(1, {"loss": 1}), (2, {"loss": 2})]


@pytest.mark.timeout(60)
async def test_nothing_that_lies_there_leads_out_or_waits(
    outputs: Path, metrics: EventMetrics, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / EVENT_FILE).write_bytes(scalars(1, tag="secret"))
    (outputs / "linked").symlink_to(outside)
    (outputs / "a.tfevents.link").symlink_to(outside / EVENT_FILE)
    os.mkfifo(outputs / "a.tfevents.fifo")
    (outputs / "a.tfevents.folder").mkdir()
    (outputs / "b.tfevents.giant").write_bytes(framed(b"", 2**62))
    (outputs / "b.tfevents.noise").write_bytes(b"no event file at all" * 100)
    (outputs / os.fsdecode(b"c.tfevents.\xff\xfe")).write_bytes(scalars(7, tag="strange"))
    (outputs / EVENT_FILE).write_bytes(scalars(2))

    assert told(await read_all(metrics)) == [(7, {"strange": 7}), (2, {"loss": 2})]


async def test_a_folder_that_becomes_a_link_is_not_followed(
    outputs: Path, metrics: EventMetrics, tmp_path: Path
) -> None:
    runs, outside = outputs / "runs", tmp_path / "outside"
    runs.mkdir()
    (runs / EVENT_FILE).write_bytes(scalars(1))
    before = await read_all(metrics)
    runs.rename(outside)
    with (outside / EVENT_FILE).open("ab") as more:
        more.write(scalars(2))
    runs.symlink_to(outside)

    assert await read_all(metrics) == before


async def test_a_file_that_shrinks_is_left_alone(outputs: Path, metrics: EventMetrics) -> None:
    file = outputs / EVENT_FILE
    file.write_bytes(scalars(1, 2))
    before = await read_all(metrics)
    file.write_bytes(scalars(1))
    assert await read_all(metrics) == before
    file.write_bytes(scalars(1, 2, 3, 4))
    assert await read_all(metrics) == before


async def test_of_many_files_some_are_read_and_of_many_entries_some_seen(
    outputs: Path, metrics: EventMetrics
) -> None:
    for number in range(FILES_MAX + 10):
        (outputs / f"a.tfevents.{number:03}").write_bytes(scalars(number))
    assert len(told(await read_all(metrics))) == FILES_MAX

    deep = outputs / "/".join("d" * 20)
    deep.mkdir(parents=True)
    (deep / EVENT_FILE).write_bytes(scalars(LONG))
    crowd = outputs.parent / "crowd"
    crowd.mkdir()
    for number in range(ENTRIES_MAX + 1):
        (crowd / f"{number}.tfevents").touch()
    assert len(find_event_files(crowd)) == FILES_MAX
    assert find_event_files(deep.parents[18]) == []


async def test_other_work_and_work_that_has_not_started_has_none(
    outputs: Path, metrics: EventMetrics, tmp_path: Path
) -> None:
    (outputs / EVENT_FILE).write_bytes(scalars(1))
    directory = ContainerDir(tmp_path / "containers", KEY)
    directory.write_work_folder(WorkFolder(outputs.parents[1] / "workspaces" / "job", 0))
    assert await read_all(metrics) == b""
    assert find_event_files(outputs / "absent") == []
