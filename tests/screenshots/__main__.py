"""`make screenshots`: every page and dialog as each role, in both languages, both themes and two widths.

They lie in `var/screenshots`, with an `index.html` to leaf through. `make pictures` (`--docs`) takes those of
`docs/users` instead.
"""

import argparse
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import product
from pathlib import Path
from typing import Final, Literal

from playwright.sync_api import Browser, expect, sync_playwright

from deploy.onebox.options import REPOSITORY
from tests.chromium import chromium_path
from tests.docker_engine import docker_engine
from tests.docker_registry import docker_registry
from tests.e2e.overlays import hold_changes, opened_overlays
from tests.e2e.pipeline import Pipeline
from tests.e2e.story import START_MS, Person
from tests.e2e.walking import HEIGHT, PHONE, SETTLE, details_on, go, places_of, views_of
from tests.e2e.words import CHINESE, ENGLISH, Words
from tests.launcher import Launched, running
from tests.screenshots.album import Picture, write_index
from tests.screenshots.scene import set_scene
from tests.screenshots.walk import take_walk

OUT: Final = REPOSITORY / "var" / "screenshots"
DESKTOP: Final = 1440
NAME_MAX: Final = 80
"""Characters of the name of a file."""
LOCALES: Final = {"en": "en-US", "zh-CN": "zh-CN"}
ROLES: Final = {  # of portal.demo.organisation
    "admin": "admin",
    "head": "li.wei",
    "member": "wang.fang",
}
WALKERS: Final = {"liu.yang": ENGLISH, "chen.jing": CHINESE}
"""Two, so that neither finds what the other has left."""
COLOURS: Final[tuple[Literal["light", "dark"], ...]] = ("light", "dark")
WIDTHS: Final = (DESKTOP, PHONE)


def main() -> int:
    """Take the pictures and return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=OUT)
    parser.add_argument("--docs", action="store_true", help="take those of docs/users only")
    options = parser.parse_args()
    expect.set_options(timeout=START_MS)
    if options.docs:
        take_docs()
        return 0
    with running("screenshots", "--runtime", "process", env={}) as platform, _browser() as browser:
        with seated(browser, platform, ENGLISH) as someone:
            someone.sign_in(ROLES["member"])
            someone.create_notebook("plants")
        set_scene(Pipeline(platform.url, platform.demo["robot_token"]))
        pictures: list[Picture] = []
        for (role, username), words in product(ROLES.items(), (ENGLISH, CHINESE)):
            with seated(browser, platform, words) as someone:
                hold_changes(someone.page)
                someone.sign_in(username)
                pictures += take_all(someone, options.out, role)
            print(f"{role} {words.language}: {len(pictures)} pictures so far", flush=True)
    write_index(options.out / "index.html", pictures)
    print(f"{len(pictures)} pictures: {options.out / 'index.html'}")
    return 0


def take_docs() -> None:
    """Take the pictures of the pages for users, in containers and with a registry for their images."""
    with docker_engine() as engine, docker_registry() as registry, _browser() as browser:
        env = {"DOCKER_HOST": engine.url, **registry.environment}
        with running("pictures", "--runtime", "docker", env=env) as platform:
            for username, words in WALKERS.items():
                with seated(browser, platform, words) as someone:
                    take_walk(someone, username)


@contextmanager
def _browser() -> Iterator[Browser]:
    path = chromium_path()
    if path is None:
        raise SystemExit("No Chromium: install it or set BERTH_CHROMIUM.")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()


@contextmanager
def seated(browser: Browser, platform: Launched, words: Words) -> Iterator[Person]:
    """Provide somebody at a fresh browser, before they sign in."""
    context = browser.new_context(
        locale=LOCALES[words.language],
        color_scheme="light",
        viewport={"width": DESKTOP, "height": HEIGHT},
        reduced_motion="reduce",
    )
    context.set_default_timeout(START_MS)
    yield Person(context.new_page(), platform, words)
    context.close()


def take_all(someone: Person, out: Path, role: str) -> Iterator[Picture]:
    """Take every page, its tabs, what it leads to first, and what buttons open."""
    page = someone.page
    seen: set[str] = set()
    for place in places_of(page):
        go(someone, place)
        yield from _all_here(someone, out, role, place, seen)
        for detail in details_on(page, place):
            go(someone, detail)
            yield from _all_here(someone, out, role, f"{place}/…", seen)


def _all_here(
    someone: Person, out: Path, role: str, place: str, seen: set[str]
) -> Iterator[Picture]:
    for view in views_of(someone):
        yield from _taken(someone, out, role, f"{place} {view}".strip())
        for name in opened_overlays(someone.page, seen):
            yield from _taken(someone, out, role, f"{place} {view} {name}", is_whole=False)


def _taken(
    someone: Person, out: Path, role: str, name: str, *, is_whole: bool = True
) -> Iterator[Picture]:
    """Take what is seen in each theme and width; the page follows without being loaded again."""
    page = someone.page
    words = "-".join(re.sub(r"[/:?]", " ", name.replace("…", "one")).split()) or "overview"
    for width, colours in product(WIDTHS, COLOURS):
        variant = f"{someone.words.language}-{colours}-{width}"
        path = Path(role) / variant / f"{words[:NAME_MAX]}.jpg"
        (out / path).parent.mkdir(parents=True, exist_ok=True)
        page.set_viewport_size({"width": width, "height": HEIGHT})
        page.emulate_media(color_scheme=colours)
        page.evaluate(SETTLE)
        page.screenshot(path=out / path, full_page=is_whole, type="jpeg", quality=80)
        yield Picture(role, variant, name, path)
    page.set_viewport_size({"width": DESKTOP, "height": HEIGHT})
    page.emulate_media(color_scheme="light")


if __name__ == "__main__":
    sys.exit(main())
