"""What a log holds becomes points once, by attempt and step, within limits."""

from datetime import timedelta
from pathlib import Path

import pytest

from portal.common.clock import freeze, now
from portal.training_metrics import selectors, services
from portal.training_metrics.collector import SEARCHED_MAX, MetricCollector
from portal.training_metrics.log_position import LogPosition, LogStream
from portal.training_metrics.metric_lines import read_lines
from portal.training_metrics.models import MetricBlock, MetricSeries, MetricStream
from portal.training_metrics.thinning import POINTS_MAX
from portal.workloads.logs import files as log_files
from portal.workloads.models import Workload
from tests.builders.machines import a_pool
from tests.builders.people import a_group, a_member, an_actor
from tests.builders.workloads import a_workload

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_url")]


def a_job() -> Workload:
    group = a_group()
    return a_workload(a_member(group), group, a_pool(), state="running", epoch=1)


def a_stream(job: Workload, epoch: int = 1, rank: int = 0) -> LogStream:
    return LogStream(job.pk, rank, epoch)


def report(stream: LogStream, text: bytes, begin: int = 0) -> LogPosition | None:
    """Store what a part of a log holds that begins at this offset."""
    end = LogPosition(begin + len(text))
    return services.record_lines(stream, read_lines(text), begin=LogPosition(begin), end=end)


def points(job: Workload, name: str = "loss", rank: int = 0) -> list[tuple[int, float | None]]:
    actor = an_actor(job.owner)
    [line] = selectors.chart_lines(actor, [job.pk], [name], rank, POINTS_MAX)
    return [(point.step, point.mean) for point in line.points]


def test_a_printed_line_is_a_point() -> None:
    job = a_job()

    report(a_stream(job), b"@metrics step=0 loss=2\n@metrics step=10 loss=1 acc=0.5\n")

    assert points(job) == [(0, 2), (10, 1)]
    row = MetricSeries.objects.get(name="loss")
    assert (row.last_value, row.low_value, row.high_value, row.low_step) == (1, 1, 2, 10)


def test_the_same_part_again_changes_nothing() -> None:
    job, text = a_job(), b"@metrics loss=2\n@metrics loss=1\n"
    stream = a_stream(job)

    first = report(stream, text)
    again = report(stream, text)

    assert first == again == LogPosition(len(text))
    assert points(job) == [(0, 2), (1, 1)]
    assert MetricSeries.objects.get().reports == 2


def test_a_resumed_attempt_replaces_what_it_repeats() -> None:
    job = a_job()
    first = b"".join(b"@metrics step=%d loss=%d acc=1\n" % (n, 100 - n) for n in range(10))
    report(a_stream(job), first)

    report(a_stream(job, epoch=2), b"@metrics step=6 loss=50\n@metrics step=7 loss=49\n")

    assert points(job) == [*((n, 100 - n) for n in range(6)), (6, 50), (7, 49)]
    row = MetricSeries.objects.get(name="loss")
    assert (row.low_value, row.high_value, row.epoch) == (49, 100, 2)
    assert len(points(job, "acc")) == 10
    assert MetricStream.objects.get().steps_left_out == 0


def test_an_attempt_without_steps_goes_on_counting() -> None:
    job = a_job()
    report(a_stream(job), b"@metrics loss=3\n@metrics loss=2\n")

    report(a_stream(job, epoch=2), b"@metrics loss=1\n")

    assert points(job) == [(0, 3), (1, 2), (2, 1)]


def test_what_an_earlier_attempt_sends_late_is_dropped() -> None:
    job = a_job()
    report(a_stream(job, epoch=2), b"@metrics step=1 loss=1\n")

    assert report(a_stream(job, epoch=1), b"@metrics step=9 loss=9\n") is None
    assert points(job) == [(1, 1)]


def test_a_step_that_goes_back_is_left_out_and_counted() -> None:
    job = a_job()

    report(
        a_stream(job), b"@metrics step=5 loss=1\n@metrics step=2 loss=7\n@metrics step=6 loss=0\n"
    )

    assert points(job) == [(5, 1), (6, 0)]
    assert MetricStream.objects.get().steps_left_out == 1


def test_ranks_have_lines_of_their_own() -> None:
    job = a_job()
    report(a_stream(job), b"@metrics loss=1\n")
    report(a_stream(job, rank=1), b"@metrics loss=2\n")

    assert (points(job), points(job, rank=1)) == ([(0, 1)], [(0, 2)])


def test_no_number_is_a_gap_that_is_named() -> None:
    job = a_job()

    report(a_stream(job), b"@metrics loss=1\n@metrics loss=nan\n@metrics loss=-inf\n")

    assert points(job) == [(0, 1), (1, None), (2, None)]
    row = MetricSeries.objects.get()
    assert (row.last_value, row.last_word) == (None, "-inf")
    assert (row.not_finite, row.not_finite_step, row.low_value) == (2, 1, 1)


def test_names_beyond_the_limit_are_left_out_and_counted() -> None:
    job = a_job()
    names = b"\n".join(b"@metrics m%d=1" % n for n in range(services.NAMES_MAX)) + b"\n"
    report(a_stream(job), names)

    report(a_stream(job), b"@metrics more=1 m0=2\n", begin=len(names))

    assert MetricSeries.objects.count() == services.NAMES_MAX
    assert MetricStream.objects.get().names_left_out == 1
    assert points(job, "m0") == [(0, 1), (1, 2)]


def test_a_long_line_has_bounded_rows() -> None:
    job, begin = a_job(), 0
    for part in range(6):
        steps = range(part * 1000, (part + 1) * 1000)
        text = b"".join(b"@metrics step=%d loss=%d\n" % (n, n) for n in steps)
        report(a_stream(job), text, begin)
        begin += len(text)

    found = points(job)
    assert POINTS_MAX // 2 <= len(found) <= POINTS_MAX
    assert found[-1][0] == 5999
    assert MetricBlock.objects.count() <= POINTS_MAX // services.BLOCK_POINTS
    assert MetricSeries.objects.get().reports == 6000
    steps_of_blocks = [step for step, _ in found]
    assert steps_of_blocks == sorted(set(steps_of_blocks))


def test_metrics_go_when_they_are_old() -> None:
    job = a_job()
    report(a_stream(job), b"@metrics loss=1\n")

    assert services.delete_expired(now() - timedelta(days=1)) == 0
    with freeze(now() + timedelta(days=2)):
        assert services.delete_expired(now() - timedelta(days=1)) == 1

    assert not MetricStream.objects.exists()
    assert not MetricBlock.objects.exists()


def a_log(folder: Path, stream: LogStream) -> Path:
    path = log_files.log_path(folder, stream.workload_id, stream.rank, stream.epoch)
    path.parent.mkdir(parents=True)
    return path


def test_the_collector_reads_each_log_from_where_it_was(tmp_path: Path) -> None:
    job = a_job()
    stream, collector = a_stream(job), MetricCollector(tmp_path)
    path = a_log(tmp_path, stream)

    path.write_bytes(b"words\n@metrics loss=1\n@metrics lo")
    assert collector.collect(stream)
    with path.open("ab") as file:
        file.write(b"ss=2\nmore words\n")
    assert collector.collect(stream)
    # Another process, or this one after a restart, finds nothing new.
    assert MetricCollector(tmp_path).collect(stream)

    assert points(job) == [(0, 1), (1, 2)]
    assert dict(selectors.positions_for_system())[stream].log > 0


def test_a_log_that_grows_faster_than_it_is_read_is_read_to_its_end(tmp_path: Path) -> None:
    job = a_job()
    stream, collector = a_stream(job), MetricCollector(tmp_path)
    line = b"@metrics step=%08d loss=0.5" + b" " * 1000 + b"\n"
    count = 3 * SEARCHED_MAX // len(line % 0)
    a_log(tmp_path, stream).write_bytes(b"".join(line % step for step in range(count)))

    rounds = 1
    while not collector.collect(stream):
        rounds += 1

    row = MetricSeries.objects.get()
    assert (row.reports, row.last_step, rounds) == (count, count - 1, 3)


def test_metrics_after_a_full_log_are_read_from_their_own_file(tmp_path: Path) -> None:
    job = a_job()
    stream, collector = a_stream(job), MetricCollector(tmp_path)
    path = a_log(tmp_path, stream)
    with path.open("wb") as file:
        file.write(b"@metrics step=1 loss=1\n")
        file.seek(3 * SEARCHED_MAX)
        file.write(b"\n@metrics step=2 loss=2\n")
        file.truncate(log_files.SIZE_MAX - 20)
    log_files.append_log(path, log_files.SIZE_MAX - 20, b"\n@metrics step=3 loss=0.123456\n")
    excess = log_files.excess_path(tmp_path, job.pk, 0, 1)
    log_files.append_excess(excess, 0, b"@metrics step=3 loss=0.123456\n@metrics step=4 loss=3\n")

    while not collector.collect(stream):
        pass
    MetricCollector(tmp_path).collect(stream)

    assert points(job) == [(1, 1), (2, 2), (3, 0.123456), (4, 3)]
    assert MetricStream.objects.get().steps_left_out == 0


def test_metrics_of_the_end_of_a_log_are_read_once(tmp_path: Path) -> None:
    job = a_job()
    stream, collector = a_stream(job), MetricCollector(tmp_path)
    path = a_log(tmp_path, stream)
    with path.open("wb") as file:
        file.write(b"@metrics step=1 loss=1\n")
        file.seek(log_files.BEGINNING - 16)
        file.write(b"\n@metrics step=2 \n[... 1 lines, 9 bytes left out ...]\n")
        file.write(b"@metrics step=3 loss=3\n")
    excess = log_files.excess_path(tmp_path, job.pk, 0, 1)
    log_files.append_excess(excess, 0, b"@metrics step=2 loss=2\n@metrics step=3 loss=3\n")

    while not collector.collect(stream):
        pass

    assert points(job) == [(1, 1), (2, 2), (3, 3)]
    assert MetricSeries.objects.get().reports == 3


def an_event_lines_file(tmp_path: Path, stream: LogStream) -> Path:
    """Return where the lines of its event files lie."""
    path = log_files.events_path(tmp_path, stream.workload_id, stream.rank, stream.epoch)
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def test_event_files_alone_are_points(tmp_path: Path) -> None:
    job = a_job()
    stream = a_stream(job)
    path = an_event_lines_file(tmp_path, stream)
    path.write_bytes(b"@metrics step=1 time=5 loss=2\n@metrics step=2 time=6 lo")
    MetricCollector(tmp_path).collect(stream)
    with path.open("ab") as file:
        file.write(b"ss=1\n")

    MetricCollector(tmp_path).collect(stream)
    MetricCollector(tmp_path).collect(stream)

    assert points(job) == [(1, 2), (2, 1)]
    assert MetricSeries.objects.get().reports == 2


def test_a_metric_that_is_printed_too_is_drawn_once(tmp_path: Path) -> None:
    job = a_job()
    stream, collector = a_stream(job), MetricCollector(tmp_path)
    a_log(tmp_path, stream).write_bytes(b"@metrics step=1 loss=4\n@metrics step=9 loss=3\n")
    an_event_lines_file(tmp_path, stream).write_bytes(
        b"@metrics step=1 loss=4 acc=0.5\n@metrics step=5 loss=3.5 acc=0.75\n"
    )

    collector.collect(stream)

    assert points(job) == [(1, 4), (9, 3)]
    assert points(job, "acc") == [(1, 0.5), (5, 0.75)]
    assert MetricStream.objects.get().steps_left_out == 0


def test_a_new_attempt_may_report_elsewhere(tmp_path: Path) -> None:
    job = a_job()
    report(a_stream(job), b"@metrics step=1 loss=4\n@metrics step=2 loss=3\n")
    stream = a_stream(job, epoch=2)
    an_event_lines_file(tmp_path, stream).write_bytes(b"@metrics step=2 loss=2\n")

    MetricCollector(tmp_path).collect(stream)

    assert points(job) == [(1, 4), (2, 2)]


def test_a_position_of_another_process_is_taken_over(tmp_path: Path) -> None:
    job = a_job()
    stream, slow, fast = a_stream(job), MetricCollector(tmp_path), MetricCollector(tmp_path)
    path = a_log(tmp_path, stream)
    path.write_bytes(b"@metrics loss=1\n")
    slow.collect(stream)
    with path.open("ab") as file:
        file.write(b"@metrics loss=2\n")
    fast.collect(stream)

    while not slow.collect(stream):
        pass

    assert points(job) == [(0, 1), (1, 2)]


def test_metrics_of_a_job_that_is_gone_are_no_fault() -> None:
    job = a_job()
    stream = LogStream(job.group_id, 0, 1)

    assert report(stream, b"@metrics loss=1\n") is None
