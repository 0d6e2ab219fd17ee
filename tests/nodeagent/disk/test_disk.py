"""What is on disk: atomic, private, and never trusted further than it can be read."""

import os
from dataclasses import asdict
from pathlib import Path

import pytest

from nodeagent.core.recovery import NO_LEASE
from nodeagent.core.state import (
    ContainerKey,
    DurableState,
    Finished,
    GracePeriod,
    Lease,
    PendingStop,
)
from nodeagent.core.stop_notice import StopNotice
from nodeagent.disk import container_dir, start_barrier
from nodeagent.disk.atomic_json import read_json, write_json
from nodeagent.disk.container_dir import (
    AppEndpoint,
    ContainerDir,
    list_container_dirs,
    remove_unfinished,
)
from nodeagent.disk.layout import ProcessLock
from nodeagent.disk.lease_file import LeaseFile
from nodeagent.disk.notices import NOTICE_NAME, NoticeFiles, announce_stop, order_stop
from nodeagent.disk.state_store import FileStateStore
from nodeagent.disk.stop_files import StopOrder
from nodeagent.process.control import is_alive
from wire.words import Device, ExitCause, Phase, Probe

KEY = ContainerKey("job.0", 3)
END = Finished(KEY, ExitCause.EXITED, finished_at=2, exit_code=0, started_at=1, detail="x")
DURABLE = DurableState(7, {"job.0": 3}, (KEY,), (END,))


def test_state_is_read_as_it_was_saved(tmp_path: Path) -> None:
    store = FileStateStore(tmp_path / "state.json")
    store.save(DURABLE)
    assert store.load() == DURABLE
    assert (tmp_path / "state.json").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"seq_limit": "x"}', '{"seq_limit": 1, "highest": 3}', "\x00\xff"]
)
def test_broken_state_is_no_state(tmp_path: Path, text: str) -> None:
    path = tmp_path / "state.json"
    path.write_text(text, encoding="utf-8")
    assert FileStateStore(path).load() is None


def test_missing_state_is_no_state(tmp_path: Path) -> None:
    assert FileStateStore(tmp_path / "state.json").load() is None


def test_failed_write_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "file.json"
    write_json(path, {"a": 1})
    with pytest.raises(TypeError):
        write_json(path, {"a": object()})
    assert path.read_text() == '{"a": 1}'


def test_lease_of_another_boot_has_ended(tmp_path: Path) -> None:
    path = tmp_path / "lease.json"
    LeaseFile(path, "boot-1").write(Lease(123, 45))
    assert LeaseFile(path, "boot-1").read() == Lease(123, 45)
    assert LeaseFile(path, "boot-2").read() == NO_LEASE


@pytest.mark.parametrize("text", ["", "[]", '{"boot_id": "b"}', '{"boot_id": "b", "until": "9"}'])
def test_lease_that_cannot_be_read_has_ended(tmp_path: Path, text: str) -> None:
    path = tmp_path / "lease.json"
    path.write_text(text)
    assert LeaseFile(path, "b").read() == NO_LEASE


def test_container_directory_is_made_once_and_found_again(tmp_path: Path) -> None:
    place = ContainerDir(tmp_path, KEY)
    devices = (Device("c", 4096, slot=1, slices=8),)
    lock = place.create(devices)
    assert place.try_lock() is None
    with pytest.raises(OSError, match=r"not empty|exists"):
        ContainerDir(tmp_path, KEY).create(())
    (found,) = list_container_dirs(tmp_path)
    assert (found.key, found.read_devices()) == (KEY, devices)
    place.write_end(END)
    assert found.read_status().end == END
    os.close(lock)
    assert not is_alive(place)


def test_what_a_newer_agent_wrote_is_read_by_an_older_one(tmp_path: Path) -> None:
    place = ContainerDir(tmp_path, KEY)
    os.close(place.create((Device("GPU-a", 1024),)))
    place.write_endpoint(AppEndpoint("127.0.0.1", 8888, "/", "token"))
    for name, change in (
        ("order.json", {"devices": [{**asdict(Device("GPU-a", 1024)), "flavour": "new"}]}),
        ("order.json", {"probe": {**asdict(Probe("/ready")), "scheme": "https"}}),
        ("endpoint.json", {"transport": "quic"}),
        ("stop.json", {"cause": "bored", "deadline": 5, "by": "somebody"}),
        ("status.json", {"end": {"cause": "bored", "finished_at": 2, "mood": "bad"}}),
    ):
        write_json(place.path / name, {**(read_json(place.path / name) or {}), **change})
    assert place.read_container().devices == (Device("GPU-a", 1024),)
    assert place.read_probe() == Probe("/ready")
    assert place.read_endpoint() == AppEndpoint("127.0.0.1", 8888, "/", "token")
    assert place.stops.read_order() == StopOrder(ExitCause.VANISHED, 5)
    assert place.read_status().end == Finished(KEY, ExitCause.VANISHED, finished_at=2)


LAB = AppEndpoint("127.0.0.1", 8888, "/", "token")


@pytest.mark.parametrize("endpoint", [None, LAB])
def test_container_with_a_probe_runs_from_its_start_and_is_ready_from_its_answer(
    tmp_path: Path, endpoint: AppEndpoint | None
) -> None:
    place, probe = ContainerDir(tmp_path, KEY), Probe("/health", 8000, deadline_s=60)
    os.close(place.create((), probe=probe))
    if endpoint is not None:
        place.write_endpoint(endpoint)
    seen = [place.read_container()]
    place.write_started(1)
    seen.append(place.read_container())
    place.mark_ready()
    seen.append(place.read_container())

    assert [(item.phase, item.is_ready) for item in seen] == [
        (Phase.STARTING, False),
        (Phase.RUNNING, False),
        (Phase.RUNNING, True),
    ]
    assert [item.port for item in seen] == [None, None, endpoint and endpoint.port]
    place.write_devices((Device("GPU-a", 1024),))
    assert place.read_probe() == probe


@pytest.mark.parametrize(
    ("endpoint", "phases"),
    [
        (None, [Phase.STARTING, Phase.RUNNING, Phase.RUNNING]),
        (LAB, [Phase.STARTING, Phase.STARTING, Phase.RUNNING]),
    ],
)
def test_container_of_an_older_agent_or_portal_has_no_probe_and_an_environment_runs_once_ready(
    tmp_path: Path, endpoint: AppEndpoint | None, phases: list[Phase]
) -> None:
    place = ContainerDir(tmp_path, KEY)
    os.close(place.create(()))
    order = read_json(place.path / "order.json") or {}
    write_json(place.path / "order.json", {"devices": order["devices"]})
    if endpoint is not None:
        place.write_endpoint(endpoint)
    seen = [place.read_container()]
    place.write_started(1)
    seen.append(place.read_container())
    place.mark_ready()
    seen.append(place.read_container())

    assert [item.phase for item in seen] == phases
    assert {item.is_ready for item in seen} == {None}
    assert place.read_probe() is None


def test_half_made_and_foreign_directories_are_not_containers(tmp_path: Path) -> None:
    for name in (".job.0.3", "job", "job.x", "3"):
        (tmp_path / name).mkdir()
    assert list_container_dirs(tmp_path) == []


def test_nobody_meets_half_of_a_container_that_is_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever locks what is left of one would make it anew."""
    place = ContainerDir(tmp_path, KEY)
    os.close(place.create(()))
    monkeypatch.setattr(container_dir, "rmtree", lambda *_, **__: None)  # killed before it began
    place.remove()

    assert list_container_dirs(tmp_path) == []
    assert not is_alive(place)
    assert not place.exists
    monkeypatch.undo()
    remove_unfinished(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_later_order_to_stop_may_hurry_but_never_delay(tmp_path: Path) -> None:
    place = ContainerDir(tmp_path, KEY)
    place.create(())
    place.stops.write_order(ExitCause.STOPPED, 1000)
    assert place.stops.write_order(ExitCause.LEASE_ENDED, 2000).deadline == 1000
    assert place.stops.write_order(ExitCause.LEASE_ENDED, 500).deadline == 500
    order = place.stops.read_order()
    assert order is not None
    assert order.cause is ExitCause.STOPPED


def test_stop_under_way_is_read_by_the_next_agent(tmp_path: Path) -> None:
    place = ContainerDir(tmp_path, KEY)
    os.close(place.create(()))
    assert place.read_container().stop is None
    notice = GracePeriod(60_000, 40_000, "SIGUSR1", "preempted")
    announced = PendingStop(ExitCause.STOPPED, 20_000, notice=notice, warned_at=70)
    place.stops.write_announced(announced)
    assert place.read_container().stop == announced
    place.stops.write_order(ExitCause.LEASE_ENDED, 90)
    assert place.read_container().stop == PendingStop(ExitCause.LEASE_ENDED, 0, kill_at=90)


def test_work_that_is_stopped_sooner_than_it_was_told_is_told_again(tmp_path: Path) -> None:
    place = ContainerDir(tmp_path, KEY)
    os.close(place.create(()))
    files = NoticeFiles(place)
    files.create()
    announce_stop(place, StopNotice("preempted", "SIGUSR1", 40_000, 60_000))
    order_stop(place, ExitCause.STOPPED, 5_000, now_ms=100, wall_ms=55_000)
    assert files.read_deadline() == 60
    order_stop(place, ExitCause.LEASE_ENDED, 1_500, now_ms=200, wall_ms=55_100)
    told = read_json(files.notice_dir / NOTICE_NAME)
    assert told == {"reason": "lease_ended", "stop_at": 55, "deadline": 56}


def test_work_whose_stop_was_ordered_is_told_no_later_deadline(tmp_path: Path) -> None:
    place = ContainerDir(tmp_path, KEY)
    os.close(place.create(()))
    files = NoticeFiles(place)
    files.create()
    order_stop(place, ExitCause.TIME_LIMIT, 5_000, now_ms=1_000, wall_ms=51_000)
    grace = GracePeriod(8_000, 0, "", "time_limit")
    stop = PendingStop(ExitCause.TIME_LIMIT, 8_000, notice=grace, warned_at=3_000)
    announce_stop(place, StopNotice("time_limit", "", 53_000, 61_000, stop))
    told = read_json(files.notice_dir / NOTICE_NAME)
    assert told == {"reason": "time_limit", "stop_at": 53, "deadline": 56}


def test_work_that_was_told_nothing_is_stopped_without_a_word(tmp_path: Path) -> None:
    place = ContainerDir(tmp_path, KEY)
    os.close(place.create(()))
    NoticeFiles(place).create()
    order_stop(place, ExitCause.STOPPED, 5_000, now_ms=100, wall_ms=55_000)
    assert list(NoticeFiles(place).notice_dir.iterdir()) == []


def test_process_lock_is_exclusive_until_it_is_given_back(tmp_path: Path) -> None:
    lock, other = ProcessLock(tmp_path / "lock"), ProcessLock(tmp_path / "lock")
    assert lock.try_acquire()
    assert other.is_held()
    assert not other.try_acquire()
    lock.release()
    assert other.try_acquire()
    other.release()


def test_open_barrier_is_held_until_a_process_has_passed(tmp_path: Path) -> None:
    """A busy host may let the work come to its gate after the agent has opened it."""
    inside = tmp_path / "inside"
    with start_barrier.hold_barrier(tmp_path / "gate") as held:
        inside.hardlink_to(tmp_path / "gate")
        held.open()
        assert not held.is_passed
        descriptor = os.open(inside, os.O_RDONLY | os.O_NONBLOCK)
        assert start_barrier.wait_at_barrier(descriptor, 0) is True
        os.close(descriptor)
        assert held.is_passed
