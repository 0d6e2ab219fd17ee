"""Two of each process behind a proxy: one of each is killed under open pages, and nobody reloads them."""

import shutil
import tempfile
import threading
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Final

import pytest
from playwright.sync_api import Page, WebSocket, expect
from typing_extensions import override

from portal.demo import organisation
from tests.e2e.story import Person, run_cell, run_in
from tests.e2e.words import ENGLISH, Words
from tests.integration.doubled import DoubledPlatform
from tests.integration.pipeline import AwayError
from tests.integration.platform import READY_S, SLOWLY_S
from tests.integration.scripts import ONCE, starts
from tests.launcher import Launched
from tests.waiting import wait_until

pytestmark = [pytest.mark.e2e, pytest.mark.long, pytest.mark.timeout(900)]
SitDown = Callable[[Launched, Words], Person]
DEVELOPER: Final = organisation.TEAMS[1].people[1]
RECONNECTS_WITHIN_S: Final = 5
PAUSE_S: Final = 0.5


@pytest.fixture(scope="module")
def doubled() -> Iterator[DoubledPlatform]:
    folder = Path(tempfile.mkdtemp(prefix="berth-doubled-"))
    folder.chmod(0o755)
    platform = DoubledPlatform(folder)
    try:
        platform.start()
        yield platform
        platform.audit()
    finally:
        platform.stop()
        shutil.rmtree(folder, ignore_errors=True)


class KernelSockets:
    """The sockets of a JupyterLab page to its kernel."""

    def __init__(self, lab: Page) -> None:
        self.open: set[WebSocket] = set()
        lab.on("websocket", self._add)

    def _add(self, socket: WebSocket) -> None:
        if "/channels" in socket.url:
            self.open.add(socket)
            socket.on("close", self._remove)

    def _remove(self, socket: WebSocket) -> None:
        self.open.discard(socket)


class Submitter(threading.Thread):
    """Submits jobs all the time, each with a key that it repeats until it has an answer."""

    def __init__(self, platform: DoubledPlatform) -> None:
        super().__init__(daemon=True)
        self.accepted: dict[str, str] = {}
        """Job by key."""
        self._pipeline = platform.pipeline
        self._ending = threading.Event()

    @override
    def run(self) -> None:
        number = 0
        while not self._ending.wait(PAUSE_S):
            key, number = f"failover-{number}", number + 1
            while key not in self.accepted:
                try:
                    self.accepted[key] = self._pipeline.submit(ONCE, key, gpus=0)
                except AwayError:
                    self._ending.wait(PAUSE_S)

    def end(self) -> dict[str, str]:
        """Stop submitting and return what was accepted."""
        self._ending.set()
        self.join(READY_S)
        return self.accepted


def _uses_notebook_again(lab: Page, sockets: KernelSockets, number: int) -> float:
    """See that the notebook is connected and computes; return how long the connection took."""
    began = monotonic()
    while not sockets.open and monotonic() - began < READY_S:
        lab.wait_for_timeout(50)
    took = monotonic() - began
    run_in(lab.locator(".jp-Notebook .jp-CodeCell").last, f"print({number} * 1001)")
    expect(lab.locator(".jp-Notebook")).to_contain_text(str(number * 1001))
    return took


def _uses_terminal_again(page: Page, number: int) -> None:
    expect(page.get_by_role("button", name="End session")).to_be_visible()
    page.locator(".xterm").click()
    page.keyboard.type(f"echo is:$(({number}*1001))\n")
    expect(page.locator(".xterm-rows")).to_contain_text(f"is:{number * 1001}")


def test_one_of_each_is_killed_and_open_pages_heal_by_themselves(
    doubled: DoubledPlatform, person: SitDown
) -> None:
    process = doubled.process_of("proxy")
    launched = Launched(process, doubled.folder, doubled.url, doubled.folder / "log")
    someone = person(launched, ENGLISH)
    someone.sign_in(DEVELOPER)
    someone.create_notebook("survives")
    lab = someone.open_notebook()
    sockets = KernelSockets(lab)
    run_cell(lab, "print(6*7)", "42")
    terminal = someone.page.context.new_page()
    terminal.goto(someone.page.url)
    someone.submit_job("shell", "sleep 3000")
    someone.sees_state("running")
    terminal.goto(someone.page.url)
    terminal.get_by_role("link", name="Open terminal").click()
    _uses_terminal_again(terminal, 1)
    listing = someone.page.context.new_page()
    listing.goto(f"{doubled.url}/jobs?show=all")
    submitter = Submitter(doubled)
    submitter.start()

    for number in (1, 2):
        for name in ("scheduler", "web", "live"):
            doubled.kill(f"{name}-{number}")
        took_s = _uses_notebook_again(lab, sockets, 10 + number)
        assert took_s <= RECONNECTS_WITHIN_S
        _uses_terminal_again(terminal, 20 + number)
        someone.submit_job(f"seen after {number}", "sleep 1")
        expect(listing.get_by_text(f"seen after {number}").first).to_be_visible()
        for name in ("live", "web", "scheduler"):
            doubled.restart(f"{name}-{number}")
        wait_until(partial(doubled.serves, number), within_s=READY_S, every_s=SLOWLY_S)

    accepted = submitter.end()
    for job in accepted.values():
        assert doubled.pipeline.wait_for(job, "succeeded")["epoch"] == 1
        assert starts(doubled.outputs(job)) == 1
    assert len(set(accepted.values())) == len(accepted) > 5
