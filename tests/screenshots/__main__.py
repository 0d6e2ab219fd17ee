"""`make screenshots`: every page and dialog as each role, in both languages, both themes and two widths.

They lie in `var/screenshots`, with an `index.html` to leaf through. `--docs` takes the pictures of the first day
in `docs/users` instead.
"""

import argparse
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Final, Literal

from playwright.sync_api import Browser, Page, expect, sync_playwright

from deploy.onebox.options import REPOSITORY
from tests.chromium import chromium_path
from tests.e2e.pipeline import Pipeline
from tests.e2e.story import START_MS, Person
from tests.e2e.walking import HEIGHT, PHONE, details_on, go, opened_dialogs, places_of
from tests.e2e.words import CHINESE, ENGLISH, Words
from tests.launcher import Launched, running
from tests.screenshots.album import Picture, write_index
from tests.screenshots.first_day import take_first_day
from tests.screenshots.scene import set_scene

OUT: Final = REPOSITORY / "var" / "screenshots"
DESKTOP: Final = 1440
LOCALES: Final = {"en": "en-US", "zh-CN": "zh-CN"}
ROLES: Final = {  # of portal.demo.organisation
    "admin": "admin",
    "head": "li.wei",
    "member": "wang.fang",
}


@dataclass(frozen=True, slots=True)
class Variant:
    """In which language, colours and width the pages are looked at."""

    words: Words
    colours: Literal["light", "dark"]
    width: int

    @property
    def name(self) -> str:
        """The name of its folder."""
        return f"{self.words.language}-{self.colours}-{self.width}"


COLOURS: Final[tuple[Literal["light", "dark"], ...]] = ("light", "dark")
VARIANTS: Final = [
    Variant(words, colours, width)
    for words, colours, width in product((ENGLISH, CHINESE), COLOURS, (DESKTOP, PHONE))
]


def main() -> int:
    """Take the pictures and return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=OUT)
    parser.add_argument("--docs", action="store_true", help="take those of docs/users only")
    options = parser.parse_args()
    expect.set_options(timeout=START_MS)
    with running("screenshots", "--runtime", "process", env={}) as platform, _browser() as browser:
        if options.docs:
            for words in (ENGLISH, CHINESE):
                with seated(browser, platform, Variant(words, "light", DESKTOP)) as someone:
                    take_first_day(someone)
            return 0
        set_scene(Pipeline(platform.url, platform.demo["robot_token"]))
        pictures: list[Picture] = []
        for (role, username), variant in product(ROLES.items(), VARIANTS):
            with seated(browser, platform, variant) as someone:
                someone.sign_in(username)
                folder = options.out / role / variant.name
                pictures += [
                    Picture(role, variant.name, name, path.relative_to(options.out))
                    for name, path in take_all(someone, folder, has_dialogs=variant.width > PHONE)
                ]
            print(f"{role} {variant.name}: {len(pictures)} pictures so far", flush=True)
    write_index(options.out / "index.html", pictures)
    print(f"{len(pictures)} pictures: {options.out / 'index.html'}")
    return 0


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
def seated(browser: Browser, platform: Launched, variant: Variant) -> Iterator[Person]:
    """Provide somebody at a fresh browser, before they sign in."""
    context = browser.new_context(
        locale=LOCALES[variant.words.language],
        color_scheme=variant.colours,
        viewport={"width": variant.width, "height": HEIGHT},
        reduced_motion="reduce",
    )
    context.set_default_timeout(START_MS)
    yield Person(context.new_page(), platform, variant.words)
    context.close()


def take_all(someone: Person, folder: Path, *, has_dialogs: bool) -> Iterator[tuple[str, Path]]:
    """Take every page, what it leads to first, and its dialogs; yield names and files."""
    folder.mkdir(parents=True, exist_ok=True)
    page = someone.page
    # The menu is folded away on a phone, but its links are there.
    for place in places_of(page):
        go(someone, place)
        yield place, _take(page, folder, place)
        if has_dialogs:
            for dialog in opened_dialogs(page, place):
                yield f"{place}: {dialog}", _take(page, folder, f"{place} {dialog}", is_whole=False)
        for detail in details_on(page, place):
            go(someone, detail)
            yield f"{place}/…", _take(page, folder, f"{place} one")


def _take(page: Page, folder: Path, name: str, *, is_whole: bool = True) -> Path:
    words = "-".join(name.replace("/", " ").replace("…", "").split()) or "overview"
    path = folder / f"{words}.jpg"
    page.screenshot(path=path, full_page=is_whole, type="jpeg", quality=80)
    return path


if __name__ == "__main__":
    sys.exit(main())
