"""Charts as a browser draws them: a short job fills its width; ranges, zoom and lines answer."""

import re

import pytest
from playwright.sync_api import Locator, Page, Response, expect

from tests.e2e.pipeline import Pipeline
from tests.e2e.story import SitDown
from tests.e2e.words import ENGLISH
from tests.launcher import Launched
from tests.waiting import wait_until

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(240)]
DEVELOPER = "li.wei"
TELEMETRY = "/api/v1/telemetry"
MINUTE_MS = 60_000
INK = """(chart, line) => {
  const canvas = chart.querySelector("canvas");
  const over = chart.querySelector(".u-over");
  if (!canvas || !over) return [1, 0];
  const scale = canvas.width / canvas.getBoundingClientRect().width;
  const begin = Math.round(over.offsetLeft * scale), width = Math.round(over.offsetWidth * scale);
  const hue = getComputedStyle(chart).getPropertyValue(`--hue-${line % 8}`).trim();
  const colour = [1, 3, 5].map((at) => parseInt(hue.slice(at, at + 2), 16));
  const { data } = canvas.getContext("2d").getImageData(begin, 0, width, canvas.height);
  const columns = [];
  for (let x = 0; x < width; x++)
    for (let y = 0; y < canvas.height; y++) {
      const at = 4 * (y * width + x);
      if (data[at + 3] > 200 && colour.every((part, n) => Math.abs(data[at + n] - part) < 24)) {
        columns.push(x / width);
        break;
      }
    }
  return [columns.at(0) ?? 1, columns.at(-1) ?? 0];
}"""
"""From where to where, in parts of the width, pixels have the colour of a line."""


def test_a_job_of_20_seconds_fills_its_chart_while_a_node_is_looked_at(
    platform: Launched, person: SitDown, robot: Pipeline
) -> None:
    job = robot.started("short", "timeout 20 sh -c 'while :; do :; done'", gpus=0)
    me = person(platform, ENGLISH)
    me.sign_in(DEVELOPER)
    page = me.page
    look_at_a_node(page, platform, robot)

    robot.wait(job, "terminal")
    page.goto(f"{platform.url}/jobs/{job}?tab=usage")
    memory = page.get_by_role("img", name=re.compile("^Memory, Whole run: .* at most$"))
    wait_until(lambda: fills(memory))
    expect(page.get_by_text("Whole run", exact=True)).to_be_visible()
    expect(page.get_by_role("combobox", name="Time range")).to_have_count(0)


def fills(chart: Locator) -> bool:
    begin, end = chart.evaluate(INK, 0)
    return bool(begin < 0.03 and end > 0.97)


def look_at_a_node(page: Page, platform: Launched, robot: Pipeline) -> None:
    node = next(each for each in robot.get("/nodes")["results"] if len(each["accelerators"]) > 1)
    page.goto(f"{platform.url}/nodes/{node['id']}")
    memory = page.get_by_role("img", name=re.compile("^GPU memory, Last hour"))
    expect(memory.locator("canvas")).to_be_visible()

    # The last one is drawn above the others.
    last = len(node["accelerators"]) - 1
    shown = page.get_by_role("button", name=f"Card {last}", exact=True)
    expect(shown).to_have_attribute("aria-pressed", "true")
    wait_until(lambda: memory.evaluate(INK, last)[1] > 0)
    shown.click()
    expect(shown).to_have_attribute("aria-pressed", "false")
    wait_until(lambda: memory.evaluate(INK, last) == [1, 0])
    shown.click()

    memory.scroll_into_view_if_needed()
    box = memory.locator(".u-over").bounding_box()
    assert box is not None
    middle = box["y"] + box["height"] / 2
    # To the newest, which is all that a young platform has, once that is wider than the edge.
    wait_until(lambda: memory.evaluate(INK, last)[0] < 0.99)
    page.mouse.move(box["x"] + 0.6 * box["width"], middle)
    page.mouse.down()
    page.mouse.move(box["x"] + 0.998 * box["width"], middle, steps=4)
    page.mouse.up()
    expect(page).to_have_url(re.compile(r"range=\d+-\d+"))
    expect(page.get_by_role("button", name="Zoom out")).to_be_visible()
    page.get_by_role("img", name=re.compile("^GPU memory, Zoomed in")).locator(".u-over").dblclick()
    expect(page).to_have_url(re.compile(r"range=1h"))

    page.get_by_role("combobox", name="Time range").select_option(label="Last 24 h")
    expect(page).to_have_url(re.compile(r"range=24h"))
    page.reload()
    expect(page.get_by_role("img", name=re.compile("^GPU memory, Last 24 h"))).to_be_visible()


QUESTIONS = 3
"""Those of an open page that are looked at, after its first."""


def test_an_open_chart_asks_for_its_last_minute_and_moves(
    platform: Launched, person: SitDown, robot: Pipeline
) -> None:
    me = person(platform, ENGLISH)
    me.sign_in(DEVELOPER)
    page = me.page
    answers: list[Response] = []
    page.on("response", lambda one: answers.append(one) if TELEMETRY in one.url else None)
    node = next(each for each in robot.get("/nodes")["results"] if len(each["accelerators"]) > 1)
    page.goto(f"{platform.url}/nodes/{node['id']}?range=15m")
    power = page.get_by_role("img", name=re.compile("^Power, Last 15 min"))
    expect(power.locator("canvas")).to_be_visible()

    def answered() -> int:
        page.wait_for_timeout(100)
        return len(answers)

    wait_until(lambda: answered() > QUESTIONS)
    first, *later = answers[: QUESTIONS + 1]
    whole = first.json()["times"]
    assert {one.status for one in later} <= {200, 304}
    tails = [one.json()["times"] for one in later if one.status == 200]
    assert all(times[0] > whole[-1] - 2 * MINUTE_MS for times in tails)
    assert tails[-1][-1] > whole[-1]
