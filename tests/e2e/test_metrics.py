"""A printed line becomes a point: through a real process, agent and portal to the chart and the table."""

import re
import time
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.builders.event_files import new_scalar, old_scalar, write_events
from tests.e2e.pipeline import Pipeline, submit_array
from tests.e2e.story import SitDown
from tests.e2e.words import CHINESE, ENGLISH
from tests.launcher import Launched
from tests.waiting import wait_until

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(300)]
DEVELOPER = "li.wei"
TRAIN = """
while [ ! -e "$BERTH_OUTPUT_DIR/go" ]; do sleep 0.1; done
printf '\\r 40%%|####      | it/s]@metrics step=1 loss=2.5 acc=0.5\\n'
printf '@metrics step=2 loss=nan\\n@metrics step=3 loss=0.'
sleep 0.5
printf '125\\n@metrics loss=?\\n'
while [ ! -e "$BERTH_OUTPUT_DIR/more" ]; do sleep 0.1; done
echo '@metrics step=4 loss=0.0625'
sleep 60
"""
SILENT = """
while [ ! -e "$BERTH_OUTPUT_DIR/go" ]; do sleep 0.1; done
mkdir -p "$BERTH_OUTPUT_DIR/runs/Nov24_host"
cp "$BERTH_OUTPUT_DIR/go" "$BERTH_OUTPUT_DIR/runs/Nov24_host/events.out.tfevents.1"
"""
SWEEP = 'echo "@metrics step=0 rate=0.$BERTH_ARRAY_INDEX loss=$((3 - BERTH_ARRAY_INDEX))"'
LIVE_MS = 4_000
"""Two seconds where the machine is not busy with other tests."""


def signal(platform: Launched, job: str, name: str) -> None:
    """Tell a running script to go on."""
    (platform.data_dir / "storage" / "outputs" / job / name).touch()


def test_a_printed_line_is_a_point_on_the_open_page(
    platform: Launched, person: SitDown, robot: Pipeline
) -> None:
    job = robot.started("measured", TRAIN, gpus=0)
    robot.wait(job, "running")
    me = person(platform, ENGLISH)
    me.sign_in(DEVELOPER)
    page = me.page
    page.goto(f"{platform.url}/jobs/{job}?tab=metrics")
    expect(page.get_by_text("@metrics step={step}")).to_be_visible()

    signal(platform, job, "go")
    loss = page.get_by_role("img", name=re.compile("^loss: 0.125"))
    expect(loss).to_be_visible()
    expect(page.get_by_role("img", name=re.compile("^acc: 0.5"))).to_be_visible()
    expect(page.get_by_text("1 value was NaN or infinite, at step 2")).to_be_visible()
    expect(page.get_by_text("@metrics loss=?")).to_be_visible()

    asked = time.monotonic()
    signal(platform, job, "more")
    expect(page.get_by_role("img", name=re.compile("^loss: 0.0625"))).to_be_visible(timeout=LIVE_MS)
    assert time.monotonic() - asked < LIVE_MS / 1000

    metrics = {each["name"]: each for each in robot.get(f"/jobs/{job}/metrics")["metrics"]}
    assert (metrics["loss"]["reports"], metrics["loss"]["low_step"]) == (4, 4)
    [line] = robot.get(f"/jobs/{job}/metrics/lines?names=loss")["lines"]
    assert (line["steps"], line["means"]) == ([1, 2, 3, 4], [2.5, None, 0.125, 0.0625])
    robot.cancel(job)


def test_event_files_alone_are_lines_of_charts(
    platform: Launched, robot: Pipeline, tmp_path: Path
) -> None:
    job = robot.started("silent", SILENT, gpus=0)
    robot.wait(job, "running")
    events = [old_scalar("loss/train", 1 / step, step) for step in (1, 2, 4)]
    written = write_events(tmp_path / "events", *events, new_scalar("epoch_loss", 0.5, 1))
    outputs = platform.data_dir / "storage" / "outputs" / job
    written.rename(outputs / "going")
    (outputs / "going").rename(outputs / "go")
    robot.wait(job)

    wait_until(lambda: robot.get(f"/jobs/{job}/metrics")["metrics"])
    lines = {each["name"]: each for each in robot.get(f"/jobs/{job}/metrics/lines")["lines"]}
    assert sorted(lines) == ["epoch_loss", "loss/train"]
    assert (lines["loss/train"]["steps"], lines["loss/train"]["means"]) == (
        [1, 2, 4],
        [1, 0.5, 0.25],
    )


def test_a_sweep_is_a_table_of_results(
    platform: Launched, person: SitDown, robot: Pipeline
) -> None:
    array = submit_array(robot, "0-2", SWEEP)
    for task in robot.get(f"/jobs?array={array['id']}")["results"]:
        robot.wait(task["id"])
    wait_until(lambda: len(reported(robot, array["id"])) == 3)
    me = person(platform, CHINESE)
    me.sign_in(DEVELOPER)
    page = me.page

    page.goto(f"{platform.url}/jobs/arrays/{array['id']}")
    table = page.get_by_role("table", name="结果")
    expect(table.get_by_role("row")).to_have_count(4)
    expect(table.get_by_role("row").nth(1)).to_contain_text("子任务 2")
    expect(table.get_by_role("row").nth(1).get_by_label("最佳")).to_have_count(1)

    page.get_by_role("link", name="比较最好的 3 个").click()
    expect(page).to_have_url(re.compile(r"tab=metrics&with="))
    expect(page.get_by_role("img", name=re.compile("^loss：1，3 条曲线"))).to_be_visible()


def reported(robot: Pipeline, array: str) -> list[object]:
    results = robot.get(f"/job-arrays/{array}/metrics")["results"]
    return [row for row in results if row["metrics"]]
