"""What axe finds on a page or a part of it, in both themes, and what else is wrong to look at."""

import re
from typing import Any, Final

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from tests.e2e.walking import SETTLE

BROWSER_BLUE: Final = re.compile(r"rgb\(0, 0, 238\)|rgb\(158, 158, 255\)")
OTHER: Final = {"light": "dark", "dark": "light"}
NODES_MAX: Final = 3
"""Elements that are named for each rule."""
ASK: Final = """([part, rules]) => axe.run(part ? document.querySelectorAll(part) : document, {
    resultTypes: ["violations"], ...(rules && { runOnly: rules }),
}).then(({ violations }) => violations.map(({ id, nodes }) => ({ id, nodes })))"""
COLOURS_ONLY: Final = ["color-contrast", "link-in-text-block"]
"""Nothing else depends on the theme."""
IS_DARK: Final = "matchMedia('(prefers-color-scheme: dark)').matches"


def faults_on(page: Page, part: str | None = None, *, in_both: bool = True) -> list[str]:
    """Return what is wrong in the present theme, and with the colours of the other, which then stays."""
    colours = "dark" if page.evaluate(IS_DARK) else "light"
    faults = [f"{colours}: {fault}" for fault in _asked(page, part, None) + _shape_faults(page)]
    if not in_both:
        return faults
    colours = OTHER[colours]
    page.emulate_media(color_scheme="dark" if colours == "dark" else "light")
    page.evaluate(SETTLE)
    return faults + [f"{colours}: {fault}" for fault in _asked(page, part, COLOURS_ONLY)]


def _asked(page: Page, part: str | None, rules: list[str] | None) -> list[str]:
    if not page.evaluate("'axe' in window"):
        page.evaluate(Axe().axe_script)
    found: list[dict[str, Any]] = page.evaluate(ASK, [part, rules])
    faults = [
        f"{rule['id']}: {node['html'][:200]} {node['failureSummary'][:300]}"
        for rule in found
        for node in rule["nodes"][:NODES_MAX]
    ]
    links = page.locator("main a:visible").evaluate_all(
        "links => links.map(link => [link.textContent, getComputedStyle(link).color])"
    )
    return faults + [
        f"browser's blue: {text}" for text, colour in links if BROWSER_BLUE.match(colour)
    ]


def _shape_faults(page: Page) -> list[str]:
    too_wide = page.evaluate("document.scrollingElement.scrollWidth - window.innerWidth")
    return [f"{too_wide} px wider than the window"] if too_wide > 0 else []
