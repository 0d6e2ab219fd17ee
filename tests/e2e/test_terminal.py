"""The ways into running work, on the whole platform: the page's terminal, and SSH."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

import asyncssh
import pytest
from playwright.sync_api import expect

from portal.demo import organisation
from tests.e2e.story import SitDown
from tests.e2e.words import ENGLISH
from tests.launcher import Launched

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]
DEVELOPER = organisation.TEAMS[1].people[1]
ADD_KEY = """async (line) => {
  const csrf = document.cookie.split('; ').find((part) => part.startsWith('berth-csrf=')).slice(11);
  const answer = await fetch('/api/v1/ssh-keys', {
    method: 'POST',
    headers: {'content-type': 'application/json', 'x-csrftoken': csrf},
    body: JSON.stringify({name: 'laptop', public_key: line}),
  });
  return answer.status;
}"""


def test_terminal_answers_survives_a_reload_and_ssh_reaches_the_same_work(
    platform: Launched, person: SitDown
) -> None:
    someone = person(platform, ENGLISH)
    someone.sign_in(DEVELOPER)
    someone.submit_job("terminal", "sleep 3000")
    someone.sees_state("running")
    job = someone.page.url
    someone.page.get_by_role("link", name="Open terminal").click()
    rows = someone.page.locator(".xterm-rows")
    expect(someone.page.get_by_role("button", name="End session")).to_be_visible()
    someone.page.keyboard.type("kept=$((6*7)); echo is:$kept\n")
    expect(rows).to_contain_text("is:42")

    someone.page.reload()
    expect(someone.page.get_by_role("button", name="End session")).to_be_visible()
    someone.page.locator(".xterm").click()
    someone.page.keyboard.type("echo still:$kept\n")
    expect(rows).to_contain_text("still:42")

    key = asyncssh.generate_private_key("ssh-ed25519")
    line = key.export_public_key().decode()
    assert someone.page.evaluate(ADD_KEY, line) == 201
    config = someone.page.evaluate("fetch('/api/v1/config').then((answer) => answer.json())")
    with ThreadPoolExecutor(1) as beside:  # the browser's own event loop runs in this thread
        said = beside.submit(lambda: asyncio.run(_by_ssh(config["ssh_port"], key)))
        assert said.result() == "42\n"

    someone.page.get_by_role("button", name="End session").click()
    expect(someone.page.get_by_text("The terminal was closed.")).to_be_visible()
    someone.page.goto(job)
    someone.page.get_by_role("button", name="Cancel job").click()
    someone.page.get_by_role("button", name="Yes, cancel job").click()
    someone.sees_state("cancelled")


async def _by_ssh(port: int, key: asyncssh.SSHKey) -> str:
    async with asyncssh.connect(
        "127.0.0.1", port, username="terminal", client_keys=[key], known_hosts=None, config=None
    ) as client:
        return str((await client.run("echo $((6*7))", check=True)).stdout)
