"""Metrics by REST: who may see them, lines of several jobs, results of an array, files."""

import csv
import io
from typing import Any

import pytest

from portal.training_metrics import services
from portal.training_metrics.api.serializers import JOBS_MAX, NAMES_ASKED_MAX
from portal.training_metrics.log_position import LogPosition, LogStream
from portal.training_metrics.metric_lines import read_lines
from portal.workloads.models import JobArray, Workload
from tests.builders.machines import a_pool
from tests.builders.people import a_group, a_member, a_user
from tests.builders.workloads import a_workload
from tests.rest import API, browser, json_of, problem_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_url")]


def report(job: Workload, text: str, rank: int = 0) -> None:
    found = read_lines(text.encode())
    stream = LogStream(job.pk, rank, job.epoch)
    services.record_lines(stream, found, begin=LogPosition(), end=LogPosition(found.end))


def a_job(**columns: Any) -> Workload:
    group = columns.pop("group", None) or a_group()
    owner = columns.pop("owner", None) or a_member(group)
    return a_workload(owner, group, a_pool(), state="running", epoch=1, **columns)


def an_array(size: int) -> tuple[JobArray, list[Workload]]:
    group = a_group()
    owner = a_member(group)
    array = JobArray.objects.create(
        name="sweep", owner=owner, group=group, indexes=f"0-{size - 1}", size=size
    )
    tasks = [
        a_job(group=group, owner=owner, array=array, array_index=n, heads_array=n == 0)
        for n in range(size)
    ]
    return array, tasks


def rows_of(answer: Any) -> list[dict[str, str]]:
    assert answer.status_code == 200
    assert answer["Content-Type"] == "text/csv; charset=utf-8"
    text = answer.content.decode("utf-8-sig")
    return list(csv.DictReader(io.StringIO(text)))


def test_a_job_lists_its_metrics_and_what_was_left_out() -> None:
    job = a_job()
    report(job, "@metrics step=1 loss=2\n@metrics step=3 loss=nan\n@metrics loss=?\n")

    shown = json_of(browser(job.owner).get(f"{API}/jobs/{job.pk}/metrics"))

    [metric] = shown["metrics"]
    assert (shown["rank"], shown["ranks"], metric["name"]) == (0, [0], "loss")
    assert (metric["last_value"], metric["last_word"], metric["last_step"]) == (None, "nan", 3)
    assert (metric["low_value"], metric["high_value"], metric["not_finite"]) == (2, 2, 1)
    assert shown["left_out"]["malformed"] == 1
    assert shown["left_out"]["example"] == "@metrics loss=?"


def test_a_job_without_metrics_has_none() -> None:
    job = a_job()

    shown = json_of(browser(job.owner).get(f"{API}/jobs/{job.pk}/metrics?rank=3"))
    lines = json_of(browser(job.owner).get(f"{API}/jobs/{job.pk}/metrics/lines"))

    assert (shown["metrics"], shown["ranks"], shown["rank"]) == ([], [], 3)
    assert lines == {"jobs": [], "lines": []}


@pytest.mark.parametrize("path", ["metrics", "metrics/lines", "metrics.csv"])
def test_only_those_who_may_see_the_job_see_its_metrics(path: str) -> None:
    job = a_job()
    report(job, "@metrics loss=1\n")
    address = f"{API}/jobs/{job.pk}/{path}"
    readers = [job.owner, a_member(job.group, "viewer"), a_user(role="auditor")]

    assert [browser(reader).get(address).status_code for reader in readers] == [200] * 3
    problem_of(browser(a_member(a_group())).get(address), 404, "not_found")


def test_jobs_are_compared_as_far_as_the_reader_sees_them() -> None:
    job = a_job()
    other = a_job(group=job.group, owner=job.owner)
    foreign = a_job()
    for each, text in ((job, "loss=1 acc=2"), (other, "loss=3"), (foreign, "loss=4")):
        report(each, f"@metrics {text}\n")
    address = f"{API}/jobs/{job.pk}/metrics/lines?names=loss&others="

    shown = json_of(browser(job.owner).get(f"{address}{other.pk},{job.pk}"))

    assert [(line["job"], line["means"]) for line in shown["lines"]] == [
        (str(job.pk), [1]),
        (str(other.pk), [3]),
    ]
    assert {each["name"] for each in shown["jobs"]} == {job.name, other.name}
    problem_of(browser(job.owner).get(f"{address}{foreign.pk}"), 404, "not_found")


def test_a_long_line_is_thinned_for_its_chart() -> None:
    job = a_job()
    report(job, "".join(f"@metrics step={n} loss={n % 7}\n" for n in range(1000)))
    client = browser(job.owner)

    [line] = json_of(client.get(f"{API}/jobs/{job.pk}/metrics/lines?points=50"))["lines"]

    assert 25 <= len(line["steps"]) <= 50
    assert (min(line["lows"]), max(line["highs"]), line["steps"][-1]) == (0, 6, 999)
    assert len(rows_of(client.get(f"{API}/jobs/{job.pk}/metrics.csv"))) == 1000


def test_questions_that_are_too_large_are_refused() -> None:
    job = a_job()
    address, client = f"{API}/jobs/{job.pk}/metrics/lines", browser(job.owner)
    ids = ",".join(f"{n:08x}-0000-0000-0000-000000000000" for n in range(JOBS_MAX))
    names = ",".join(f"m{n}" for n in range(NAMES_ASKED_MAX + 1))

    codes = [
        problem_of(client.get(f"{address}?{query}"), 400, "invalid_input")["errors"][0]["code"]
        for query in (
            f"others={ids}",
            "others=x",
            f"names={names}",
            "points=1",
            "others=",
            "names=%00",
        )
    ]

    assert codes == [
        "too_many_jobs",
        "not_ids",
        "too_many_names",
        "min_value",
        "blank",
        "not_metric_names",
    ]


def test_more_lines_than_fit_are_refused() -> None:
    group = a_group()
    owner = a_member(group)
    jobs = [a_job(group=group, owner=owner) for _ in range(6)]
    text = "@metrics " + " ".join(f"m{n}=1" for n in range(100)) + "\n"
    for job in jobs:
        report(job, text)
    others = ",".join(str(job.pk) for job in jobs[1:])

    answer = browser(owner).get(f"{API}/jobs/{jobs[0].pk}/metrics/lines?others={others}")

    problem_of(answer, 422, "too_many_lines")


def test_results_of_an_array_are_sorted_by_a_metric() -> None:
    array, tasks = an_array(4)
    for task, (loss, last) in zip(tasks, ((3, 4), (1, 9), (2, 2)), strict=False):
        report(task, f"@metrics loss={loss} acc=1\n@metrics loss={last}\n")
    address, client = f"{API}/job-arrays/{array.pk}/metrics", browser(array.owner)

    def order(query: str) -> list[int]:
        return [
            row["task"]["array_index"] for row in json_of(client.get(address + query))["results"]
        ]

    assert order("?metric=loss&by=low") == [1, 2, 0, 3]
    assert order("?metric=loss&by=last&descending=true") == [1, 0, 2, 3]
    shown = json_of(client.get(address))
    assert (shown["names"], shown["sorted_by"]) == (["acc", "loss"], "acc")
    problem_of(browser(a_member(a_group())).get(address), 404, "not_found")

    rows = rows_of(client.get(f"{API}/job-arrays/{array.pk}/metrics.csv?metric=loss&by=low"))
    assert [row["array_index"] for row in rows] == ["1", "2", "0", "3"]
    assert rows[0]["loss:low"] == "1.0"
    assert rows[3]["loss:low"] == ""


def test_an_array_without_metrics_lists_its_tasks() -> None:
    array, _ = an_array(2)

    shown = json_of(browser(array.owner).get(f"{API}/job-arrays/{array.pk}/metrics"))

    assert (shown["names"], shown["sorted_by"], len(shown["results"])) == ([], None, 2)
