"""Charts as a browser draws them: a short job fills its width; ranges, zoom and lines answer."""

import re

import pytest
from playwright.sync_api import Locator, Page, Request, WebSocket, expect

from tests.e2e.pipeline import Pipeline
from tests.e2e.story import SitDown
from tests.e2e.words import ENGLISH
from tests.launcher import Launched
from tests.waiting import wait_until

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(240)]
DEVELOPER = "li.wei"
TELEMETRY = "/api/v1/telemetry"
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


MOVES = 5
"""Measurements that an open page is watched for."""


def test_an_open_chart_moves_with_each_measurement_and_asks_for_nothing(
    platform: Launched, person: SitDown, robot: Pipeline
) -> None:
    me = person(platform, ENGLISH)
    me.sign_in(DEVELOPER)
    page = me.page
    asked: list[str] = []
    frames: list[str] = []

    def note(sent: Request) -> None:
        if TELEMETRY in sent.url:
            asked.append(sent.url)

    def listen(socket: WebSocket) -> None:
        socket.on("framereceived", lambda frame: frames.append(str(frame)))

    page.on("request", note)
    page.on("websocket", listen)
    node = next(each for each in robot.get("/nodes")["results"] if len(each["accelerators"]) > 1)
    page.goto(f"{platform.url}/nodes/{node['id']}?range=15m")
    power = page.get_by_role("img", name=re.compile("^Power, Last 15 min"))
    expect(power.locator("canvas")).to_be_visible()

    def moves() -> int:
        page.wait_for_timeout(100)
        return sum('"op":"points"' in frame for frame in frames)

    wait_until(lambda: moves() >= 1)
    begun = len(asked)
    wait_until(lambda: moves() > MOVES)
    assert asked[begun:] == []
    assert len(asked) <= 2  # the page may begin to listen a moment after it has asked
