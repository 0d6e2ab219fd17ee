"""Layout shifts: what a page moves by itself while somebody may be reading it."""

from typing import Final, cast

from playwright.sync_api import Page

OBSERVE_SHIFTS: Final = """
window.shifts = [];
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) {
    if (entry.hadRecentInput) continue;
    const what = entry.sources.map(({ node, previousRect, currentRect }) =>
      `${node?.innerText?.slice(0, 40) ?? node?.nodeName}: ${previousRect.y} -> ${currentRect.y}`);
    window.shifts.push([entry.value, ...what]);
  }
}).observe({ type: 'layout-shift', buffered: true });
"""
"""A script that notes them from the beginning of a page."""


def shifts_on(page: Page) -> list[list[str]]:
    """Return how far the page moved by itself each time, and what stood where before and after."""
    return cast("list[list[str]]", page.evaluate("window.shifts"))
