"""`replay philly` and `compare philly`, on a small trace of our own."""

import gzip
import json
from pathlib import Path

import pytest

from bench.replay.philly import REPLAY_POLICIES, read_jobs, replay_philly, request_of
from scheduler.core.model.entities import Request
from scheduler.whatif.__main__ import main

HEAD = "timestamp,duration,num_gpus,gpu_time,cluster"
JOBS = [
    "2017-10-01 00:00:00,1000.0,8,8000.0,red",
    "2017-10-01 00:01:00,600.0,12,7200.0,red",
    "2017-10-01 00:02:00,60.0,1,60.0,blue",
    "2017-10-01 00:03:00,300.0,4,1200.0,blue",
    "2017-10-01 00:04:00,5000.0,1,5000.0,blue",
    "2017-09-30 23:59:59,9999.0,1,9999.0,red",
    "2017-12-01 00:00:00,9999.0,1,9999.0,red",
]


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    path = tmp_path / "jobs.csv"
    path.write_text("\n".join([HEAD, *JOBS]) + "\n", encoding="utf-8")
    return path


def test_only_the_window_and_the_named_tenants_take_part(trace: Path, tmp_path: Path) -> None:
    packed = tmp_path / "jobs.csv.gz"
    packed.write_bytes(gzip.compress(trace.read_bytes()))

    assert len(read_jobs(str(trace))) == 5
    assert [row.cards for row in read_jobs(str(packed), frozenset({"red"}))] == [8, 12]


def test_large_jobs_are_gangs_of_whole_nodes() -> None:
    assert request_of(8) == Request(gpus=8)
    assert request_of(32) == Request(gpus=8, replicas=4)
    assert request_of(12) == Request(gpus=4, replicas=3)


def test_strict_order_waits_where_backfill_passes(trace: Path) -> None:
    rows = read_jobs(str(trace))

    waits = {
        policy: [
            record.wait_s for record in replay_philly(rows, 2, REPLAY_POLICIES[policy]).records
        ]
        for policy in ("fifo", "easy")
    }

    assert waits["fifo"][:3] == [0, 940, 880]
    assert waits["easy"][:3] == [0, 940, 0]
    assert waits["easy"][3] == 0


def test_the_figures_are_written_beside_their_floor(trace: Path, tmp_path: Path) -> None:
    out, pictures = tmp_path / "out.json", tmp_path / "pictures"
    arguments = ["replay", "philly", "--jobs", str(trace), "--nodes", "2", "--json", str(out)]

    assert main([*arguments, "--charts", str(pictures)]) == 0

    figures = json.loads(out.read_text(encoding="utf-8"))
    assert figures["policy"] == "default"
    assert (figures["nodes"], figures["jobs"]) == (2, 5)
    assert figures["floor"] == pytest.approx((1000 + 600 + 60 + 300 + 5000) / 5)
    assert figures["mean_completion_s"] == pytest.approx(figures["floor"] + figures["mean_wait_s"])
    assert 0 < figures["utilisation"] <= 1
    names = {path.name for path in pictures.iterdir()}
    assert {"utilisation.svg", "queue.svg", "waiting.svg", "waiting.png"} <= names


def test_predicted_run_times_are_judged(trace: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    arguments = ["replay", "philly", "--jobs", str(trace), "--nodes", "2", "--json", str(out)]

    assert main([*arguments, "--policy", "shortest", "--predict"]) == 0

    prediction = json.loads(out.read_text(encoding="utf-8"))["prediction"]
    assert set(prediction) >= {"runs", "within_factor_two_percent", "median_error_percent"}


def test_policies_are_compared_in_one_table(
    trace: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out.json"
    arguments = ["compare", "philly", "--jobs", str(trace), "--nodes", "2", "--json", str(out)]

    assert main([*arguments, "--policies", "fifo,las,default+turns"]) == 0

    rows = json.loads(out.read_text(encoding="utf-8"))["policies"]
    assert [row["policy"] for row in rows] == ["fifo", "las", "default+turns"]
    assert all(row["over_floor_pct"] >= 0 for row in rows)
    assert "floor" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("a,b\n1,2\n", "has no column"),
        (f"{HEAD}\n2017-10-01 00:00:00,x,1,1,red\n", "line 2"),
        (f"{HEAD}\n2017-10-01 00:00:00,10,0,1,red\n", "no time or no cards"),
        (f"{HEAD}\n2017-10-01 25:00:00,10,1,1,red\n", "line 2"),
        (f"{HEAD}\n2018-10-01 00:00:00,10,1,1,red\n", "has no job between"),
    ],
)
def test_a_file_that_is_no_trace_is_refused_in_words(
    content: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "jobs.csv"
    path.write_text(content, encoding="utf-8")

    assert main(["replay", "philly", "--jobs", str(path)]) == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments",
    [
        ["replay", "philly", "--jobs", "TRACE", "--nodes", "0"],
        ["replay", "philly", "--jobs", "missing.csv"],
        ["replay", "philly", "--jobs", "TRACE", "--vcs", "missing.csv"],
        ["compare", "philly", "--jobs", "TRACE", "--policies", "fifo,nonsense"],
        ["compare", "philly", "--jobs", "TRACE", "--policies", "fifo+loops"],
        ["replay", "philly", "--jobs", "TRACE", "--nodes", "1"],
    ],
)
def test_arguments_that_make_no_sense_end_with_two(
    arguments: list[str], trace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The last one: a gang of 12 cards never fits on one node of 8."""
    given = [str(trace) if word == "TRACE" else word for word in arguments]

    assert main(given) == 2
    assert capsys.readouterr().err.startswith("whatif: ")
