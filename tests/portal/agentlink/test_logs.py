import base64
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from portal.agentlink.logs import append_log
from portal.workloads.logs import files
from portal.workloads.logs.marks import append_marks, iterate_marks, marks_path
from portal.workloads.models import Allocation
from portal.workloads.operations.log_store import store_log
from tests.builders.scenes import Scene, a_scene
from wire.log_marks import LogMark
from wire.logs import LogChunk

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_url")]


@pytest.fixture
def scene(tmp_path: Path, set_site: Callable[..., None]) -> Scene:
    set_site(storage_dir=tmp_path)
    return a_scene(nodes=2)


def a_chunk(held: Allocation, offset: int, data: bytes) -> LogChunk:
    return LogChunk(
        allocation=held.wire_name,
        epoch=held.epoch,
        offset=offset,
        data=base64.b64encode(data).decode(),
    )


def text_of(held: Allocation, folder: Path) -> bytes:
    path = files.log_path(folder, held.workload_id, held.rank, held.epoch)
    return files.read_log(path, 0).text


def test_chunks_join_whatever_is_repeated_or_missing(scene: Scene, tmp_path: Path) -> None:
    (held,) = scene.place(scene.work())
    node = scene.nodes[0].pk

    assert append_log(store_log, node, a_chunk(held, 0, b"hello ")).size == 6
    assert append_log(store_log, node, a_chunk(held, 0, b"hello ")).size == 6
    assert append_log(store_log, node, a_chunk(held, 3, b"lo world")).size == 11
    assert append_log(store_log, node, a_chunk(held, 50, b"gap")).size == 11

    assert text_of(held, tmp_path) == b"hello world"


def test_times_of_lines_are_kept_once_beside_the_log(scene: Scene, tmp_path: Path) -> None:
    (held,) = scene.place(scene.work())
    node = scene.nodes[0].pk
    path = marks_path(tmp_path, held.workload_id, held.rank, held.epoch)

    def send(offset: int, data: bytes, *marks: tuple[int, int]) -> None:
        append_log(store_log, node, a_chunk(held, offset, data).model_copy(update={"marks": marks}))

    send(0, b"one\ntwo\n", (0, 1_000), (4, 2_000), (99, 3_000))
    send(0, b"one\ntwo\n", (0, 1_000), (4, 2_000))
    send(50, b"gap\n", (50, 9_000))
    send(8, b"three\n", (8, 3_000))

    assert list(iterate_marks(path, 0)) == [(0, 1_000), (4, 2_000), (8, 3_000)]
    assert list(iterate_marks(path, 7)) == [(4, 2_000), (8, 3_000)]
    assert text_of(held, tmp_path) == b"one\ntwo\nthree\n"


def test_half_a_mark_of_a_process_that_died_is_written_again(tmp_path: Path) -> None:
    path = tmp_path / "0.1.marks"
    append_marks(path, [LogMark(0, 1_000)])
    with path.open("ab") as file:
        file.write(b"\0" * 7)
    append_marks(path, [LogMark(0, 1_000), LogMark(4, 2_000)])

    assert list(iterate_marks(path, 0)) == [(0, 1_000), (4, 2_000)]


def test_many_marks_are_found_by_offset(tmp_path: Path) -> None:
    path = tmp_path / "0.1.marks"
    append_marks(path, [LogMark(10 * number, number) for number in range(2_000)])

    assert next(iterate_marks(path, 12_345)) == (12_340, 1_234)
    assert len(list(iterate_marks(path, 12_345))) == 766
    assert list(iterate_marks(tmp_path / "older.marks", 0)) == []


def test_metrics_after_a_full_log_have_a_file_of_their_own(scene: Scene, tmp_path: Path) -> None:
    (held,) = scene.place(scene.work())
    chunk = a_chunk(held, 0, b"@metrics loss=1\n").model_copy(update={"is_excess": True})
    seen: list[tuple[object, ...]] = []

    ack = append_log(
        partial(store_log, observe=lambda *grown: seen.append(grown)), scene.nodes[0].pk, chunk
    )
    append_log(store_log, scene.nodes[0].pk, chunk)

    assert (ack.size, ack.is_excess) == (16, True)
    path = files.excess_path(tmp_path, held.workload_id, held.rank, held.epoch)
    assert path.read_bytes() == b"@metrics loss=1\n"
    assert text_of(held, tmp_path) == b""
    assert seen == [(held.workload_id, held.rank, held.epoch, b"@metrics loss=1\n")]


def test_foreign_and_unknown_logs_are_swallowed(scene: Scene, tmp_path: Path) -> None:
    (held,) = scene.place(scene.work())

    foreign = append_log(store_log, scene.nodes[1].pk, a_chunk(held, 0, b"evil"))
    future = append_log(
        store_log, scene.nodes[0].pk, a_chunk(held, 0, b"evil").model_copy(update={"epoch": 2**53})
    )
    unknown = append_log(
        store_log,
        scene.nodes[0].pk,
        a_chunk(held, 0, b"evil").model_copy(update={"allocation": "x.0"}),
    )

    assert [foreign.size, future.size, unknown.size] == [4, 4, 4]
    assert text_of(held, tmp_path) == b""
    assert not (tmp_path / "logs").exists()


def test_bytes_that_are_not_base64_change_nothing(scene: Scene, tmp_path: Path) -> None:
    (held,) = scene.place(scene.work())
    chunk = a_chunk(held, 0, b"").model_copy(update={"data": "é%"})

    assert append_log(store_log, scene.nodes[0].pk, chunk).size == 0
    assert text_of(held, tmp_path) == b""


def test_log_ends_at_its_limit_with_a_notice(tmp_path: Path) -> None:
    path = tmp_path / "0.1.log"
    with path.open("wb") as file:
        file.truncate(files.SIZE_MAX - 3)

    assert files.append_log(path, files.SIZE_MAX - 3, b"123456") == files.SIZE_MAX + 3
    assert files.append_log(path, files.SIZE_MAX + 3, b"more") == files.SIZE_MAX + 7

    tail = files.read_log(path, files.SIZE_MAX - 3)
    assert tail.text == b"123" + files.FULL_NOTICE


def test_the_longest_log_of_an_agent_has_room_without_a_notice(tmp_path: Path) -> None:
    path = tmp_path / "0.1.log"
    with path.open("wb") as file:
        file.truncate(files.SIZE_MAX - 3)

    assert files.append_log(path, files.SIZE_MAX - 3, b"end") == files.SIZE_MAX
    assert files.append_log(path, files.SIZE_MAX - 3, b"end") == files.SIZE_MAX
    assert files.read_log(path, files.SIZE_MAX - 3).text == b"end"


@pytest.mark.parametrize("is_full", [False, True])
@pytest.mark.parametrize("kind", ["is_log", "is_excess", "is_events"])
def test_who_asks_how_much_there_is_is_told(
    scene: Scene, tmp_path: Path, kind: str, is_full: bool
) -> None:
    (held,) = scene.place(scene.work())
    where = (tmp_path, held.workload_id, held.rank, held.epoch)
    path, size_max = {
        "is_log": (files.log_path(*where), files.SIZE_MAX),
        "is_excess": (files.excess_path(*where), files.EXCESS_MAX),
        "is_events": (files.events_path(*where), files.EVENTS_MAX),
    }[kind]
    path.parent.mkdir(parents=True)
    with path.open("wb") as file:
        file.truncate(size_max + len(files.FULL_NOTICE) if is_full else 1000)
    question = a_chunk(held, 0, b"").model_copy(update={kind: True})

    expected = size_max if is_full else 1000
    assert append_log(store_log, scene.nodes[0].pk, question).size == expected
    assert append_log(store_log, scene.nodes[1].pk, question).size == 0


def test_a_full_log_that_is_sent_again_is_had(tmp_path: Path) -> None:
    path = tmp_path / "0.1.log"
    with path.open("wb") as file:
        file.truncate(files.SIZE_MAX + len(files.FULL_NOTICE))

    assert files.append_log(path, 0, b"again") == files.SIZE_MAX


def test_full_lines_are_taken_and_dropped(tmp_path: Path) -> None:
    path = tmp_path / "0.1.metrics"
    with path.open("wb") as file:
        file.truncate(files.EXCESS_MAX)

    assert files.append_excess(path, files.EXCESS_MAX, b"more") == files.EXCESS_MAX + 4
    assert files.append_excess(path, files.EXCESS_MAX + 4, b"more") == files.EXCESS_MAX + 8
    assert path.stat().st_size == files.EXCESS_MAX


def test_log_is_not_written_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "target").write_text("safe")
    (tmp_path / "0.1.log").symlink_to(tmp_path / "target")

    with pytest.raises(OSError, match="symbolic links"):
        files.append_log(tmp_path / "0.1.log", 4, b"evil")

    assert (tmp_path / "target").read_text() == "safe"


def test_lines_of_event_files_have_a_file_of_their_own(scene: Scene, tmp_path: Path) -> None:
    (held,) = scene.place(scene.work())
    chunk = a_chunk(held, 0, b"@metrics loss=1\n").model_copy(update={"is_events": True})

    ack = append_log(store_log, scene.nodes[0].pk, chunk)
    probe = append_log(store_log, scene.nodes[0].pk, chunk.model_copy(update={"data": ""}))

    assert (ack.size, ack.is_events, probe.is_events) == (16, True, True)
    path = files.events_path(tmp_path, held.workload_id, held.rank, held.epoch)
    assert path.read_bytes() == b"@metrics loss=1\n"
    assert text_of(held, tmp_path) == b""
