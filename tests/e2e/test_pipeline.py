"""Use from CI: a robot's token, an idempotency key, and nothing else."""

import pytest

from tests.e2e.pipeline import Pipeline
from tests.waiting import wait_until

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(300)]
SCRIPT = """
for step in 1 2 3; do echo "step $step"; done
echo 0.97 > "$BERTH_OUTPUT_DIR/accuracy.txt"
exit 3
"""


def test_submit_wait_follow_exit_code_outputs(robot: Pipeline) -> None:
    accepted = robot.submit(key="build-17", name="from ci", script=SCRIPT)
    assert accepted.status == 202
    job = accepted.body["id"]
    log = robot.text(f"/jobs/{job}/logs?rank=0&offset=0&follow=1")
    done = robot.wait(job)
    assert log.splitlines() == ["step 1", "step 2", "step 3"]
    assert (done["state"], done["exit_code"]) == ("failed", 3)
    assert [each["name"] for each in robot.get(f"/jobs/{job}/outputs")["entries"]] == [
        "accuracy.txt"
    ]
    assert robot.text(f"/jobs/{job}/outputs/accuracy.txt") == "0.97\n"


def test_one_key_makes_one_job(robot: Pipeline) -> None:
    first = robot.submit(key="build-18", name="once", script="true")
    again = robot.submit(key="build-18", name="once", script="true")
    other = robot.submit(key="build-18", name="something else", script="true")
    assert (again.status, again.body["id"]) == (202, first.body["id"])
    assert (other.status, other.body["code"]) == (422, "idempotency_mismatch")
    robot.wait(first.body["id"])


def test_strangers_learn_nothing(robot: Pipeline) -> None:
    stranger = Pipeline(robot.url, "berth_" + "0" * 43)
    assert stranger.call("GET", "/jobs").status == 401
    assert robot.call("GET", "/jobs/00000000-0000-7000-8000-000000000000").status == 404


def test_what_a_job_uses_is_measured(robot: Pipeline) -> None:
    job = robot.started("busy", "while :; do :; done", gpus=1)
    robot.wait(job, "running")

    def measured() -> dict[str, list[float]]:
        series = robot.get(f"/telemetry?workload={job}&step_s=5")["series"]
        return {item["metric"]: [value for value in item["values"] if value] for item in series}

    try:
        # The API limits how often anybody may ask.
        wait_until(lambda: all(measured()[name] for name in ("gpu_utilisation", "cpu")), every_s=1)
        found = measured()
    finally:
        robot.cancel(job)
    assert found["received"] == []  # a process has no network of its own
    [node] = {item["node"]["id"] for item in robot.get(f"/jobs/{job}")["allocations"]}
    assert any(
        value
        for item in robot.get(f"/telemetry?node={node}&step_s=5")["series"]
        if item["metric"] == "gpu_utilisation"
        for value in item["values"]
    )
