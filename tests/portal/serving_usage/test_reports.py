"""Reports of the inference gateway: counted once, added up over processes, pruned."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from portal.common.clock import freeze
from portal.common.ids import new_id
from portal.serving_usage.loads import (
    LoadReport,
    SecondOfLoad,
    UseOfKey,
    encode_histogram,
    merge_histograms,
    new_histogram,
    percentile_ms,
)
from portal.serving_usage.models import CountedReport, ServiceHour, ServiceLoad
from portal.serving_usage.selectors import (
    hours_for_system,
    loads_for_system,
    newest_second_for_system,
    totals_of_keys_for_system,
    use_by_key_for_system,
)
from portal.serving_usage.services import (
    HOURS_KEPT,
    REPORTS_KEPT,
    SECONDS_KEPT,
    prune_seconds,
    record_report,
    roll_up_hours,
)

pytestmark = pytest.mark.django_db
SERVICE, KEY, REPLICA = new_id(), new_id(), new_id()
NOON = datetime(2026, 11, 2, 12, 0, tzinfo=UTC)


def _second(latency_us: int, opened: int = 1) -> SecondOfLoad:
    histogram = new_histogram()
    histogram.record_value(latency_us)
    return SecondOfLoad(
        service_id=SERVICE,
        second=NOON,
        in_flight=opened,
        held=2,
        arrivals=3,
        completed=1,
        open_by_replica={REPLICA: opened},
        latency=encode_histogram(histogram),
    )


def _report(process: str, second: SecondOfLoad, report_id: UUID | None = None) -> LoadReport:
    use = UseOfKey(SERVICE, KEY, NOON, requests=1, prompt_tokens=7, completion_tokens=5, cut=1)
    return LoadReport(report_id or new_id(), process, (second,), (use,))


def test_a_report_that_comes_twice_counts_once() -> None:
    report = _report("one", _second(1000))
    assert record_report(report)
    assert not record_report(report)
    (use,) = use_by_key_for_system([SERVICE], NOON, NOON + timedelta(hours=1))
    assert (use.requests, use.prompt_tokens, use.completion_tokens, use.cut) == (1, 7, 5, 1)
    assert ServiceLoad.objects.count() == 1


def test_processes_are_added_up_and_their_percentiles_merged() -> None:
    record_report(_report("one", _second(1_000)))
    record_report(_report("two", _second(500_000, opened=4)))
    (second,) = loads_for_system([SERVICE], NOON, NOON + timedelta(seconds=1))
    assert (second.in_flight, second.held, second.arrivals) == (5, 4, 6)
    assert second.open_by_replica == {REPLICA: 5}
    merged = merge_histograms([second.latency])
    assert percentile_ms(merged, 50) == pytest.approx(1, rel=0.02)
    assert percentile_ms(merged, 99) == pytest.approx(500, rel=0.02)
    assert second.first_byte == ""
    assert totals_of_keys_for_system(SERVICE)[KEY]["prompt_tokens"] == 14
    assert newest_second_for_system(SERVICE) == NOON


def test_a_key_is_added_to_in_each_hour() -> None:
    for hour in (0, 0, 1):
        use = UseOfKey(SERVICE, KEY, NOON + timedelta(hours=hour), requests=2, failed=1)
        record_report(LoadReport(new_id(), "one", (), (use,)))
    uses = use_by_key_for_system([SERVICE], NOON, NOON + timedelta(hours=2))
    assert [(use.requests, use.failed) for use in uses] == [(4, 2), (2, 1)]


def test_old_seconds_and_reports_go_and_the_use_of_keys_stays() -> None:
    with freeze(NOON):
        record_report(_report("one", _second(1000)))
        record_report(_report("one", replace(_second(1000), second=NOON - timedelta(days=1))))
        assert prune_seconds() == 1
    with freeze(NOON + REPORTS_KEPT + timedelta(seconds=1)):
        prune_seconds()
    assert not CountedReport.objects.exists()
    assert totals_of_keys_for_system(SERVICE)[KEY]["requests"] == 2


def test_percentiles_of_nothing_are_none() -> None:
    assert percentile_ms(merge_histograms(["", ""]), 99) is None
    assert encode_histogram(new_histogram()) == ""


def test_hours_that_are_over_are_added_up_and_what_comes_late_is_in_them() -> None:
    hour = timedelta(hours=1)
    record_report(_report("one", _second(1000)))
    record_report(_report("two", _second(1000)))
    with freeze(NOON + timedelta(minutes=59)):
        assert roll_up_hours() == 0
    with freeze(NOON + hour):
        assert roll_up_hours() == 1
    assert hours_for_system(SERVICE, NOON - hour, NOON + 3 * hour) == [6, 0, 0]

    record_report(_report("three", _second(1000)))
    with freeze(NOON + 4 * hour):
        roll_up_hours()
    assert hours_for_system(SERVICE, NOON, NOON + hour) == [9]

    with freeze(NOON + SECONDS_KEPT):
        ServiceLoad.objects.filter(process="three").delete()
        assert roll_up_hours() == 0
    assert hours_for_system(SERVICE, NOON, NOON + hour) == [9]


def test_hours_are_kept_as_long_as_forecasts_look_back() -> None:
    record_report(_report("one", _second(1000)))
    with freeze(NOON + timedelta(hours=1)):
        roll_up_hours()

    with freeze(NOON + HOURS_KEPT):
        prune_seconds()
        assert ServiceHour.objects.count() == 1
    with freeze(NOON + HOURS_KEPT + timedelta(seconds=1)):
        prune_seconds()
        assert ServiceHour.objects.count() == 0
