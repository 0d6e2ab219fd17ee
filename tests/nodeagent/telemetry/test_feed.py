"""Samples leave in time, and never grow without bound."""

from nodeagent.telemetry.feed import ROWS_MAX, SAMPLES_MAX, SampleBatch, TelemetryFeed
from nodeagent.telemetry.reading import NodeReading
from tests.fakes.node_ports import MemoryLink
from tests.fakes.portal import FakePortal
from wire.samples import ContainerSample, Sample, Telemetry


def test_samples_wait_for_their_time_and_leave_together() -> None:
    batch = SampleBatch(every_ms=10_000)

    assert batch.add(Sample(at=1_000)) is None
    assert batch.add(Sample(at=6_000)) is None
    told = batch.add(Sample(at=11_000))

    assert told is not None
    assert [sample.at for sample in told.samples] == [1_000, 6_000, 11_000]
    assert batch.add(Sample(at=12_000)) is None


def test_a_standing_clock_does_not_hold_samples_for_ever() -> None:
    batch = SampleBatch(every_ms=10_000)

    told = [batch.add(Sample(at=1)) for _ in range(SAMPLES_MAX)]

    assert told[:-1] == [None] * (SAMPLES_MAX - 1)
    assert told[-1] is not None


def test_a_clock_set_back_does_not_hold_samples_up() -> None:
    batch = SampleBatch(every_ms=10_000)
    batch.add(Sample(at=100_000))

    assert batch.add(Sample(at=50_000)) is not None


def test_many_containers_leave_sooner() -> None:
    batch = SampleBatch(every_ms=10_000)
    rows = tuple(
        ContainerSample(allocation="a", epoch=1, cpu_ms=0, memory_mib=0) for _ in range(ROWS_MAX)
    )

    assert batch.add(Sample(at=1, containers=rows)) is not None


def test_the_feed_sends_batches_and_keeps_the_newest_reading() -> None:
    link = MemoryLink(FakePortal())
    feed = TelemetryFeed(link, every_ms=5_000)
    readings = [NodeReading(at, (), (), {}, {}) for at in (0, 5_000)]

    feed.add_reading(readings[0])
    feed.add_reading(readings[1])

    [told] = link.sent
    assert isinstance(told, Telemetry)
    assert [sample.at for sample in told.samples] == [0, 5_000]
    assert feed.latest is not None
    assert feed.latest[0] is readings[1]
