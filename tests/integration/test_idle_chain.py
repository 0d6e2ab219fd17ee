"""An idle notebook from its first cell to the return of its card, through every part of the platform.

The launcher's parts with their own timers, a real agent, and JupyterLab behind the gateway. Only the
rules of the pool are quick.
"""

import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any, Final

import psycopg
import pytest
from aiohttp import ClientSession, CookieJar

from deploy.onebox.stores import DATABASE
from tests.integration.pipeline import ENDED
from tests.integration.platform import SLOWLY_S, Platform
from tests.portal.gateway.kernels import PROTOCOL, execute
from tests.waiting import wait_until

pytestmark = [pytest.mark.integration, pytest.mark.timeout(400)]

HASTY: Final = {"idle_warn_s": 1, "idle_release_s": 2}
"""Warned as soon as the sweep looks, and without its card with one of the next."""
CARDS_OF_A_NODE: Final = 8
WAITS: Final = "sleep 1000"
READ_NOTICE: Final = "import os; print(open(os.environ['BERTH_NOTICE_FILE']).read())"


class Lab:
    """JupyterLab as a person has it open: through the gateway, with the cookie of a ticket."""

    def __init__(self, session: ClientSession, home: str) -> None:
        self._session = session
        self._api = f"{home}api"

    async def new(self, kind: str) -> str:
        """Start a kernel or a terminal, and return its name."""
        async with self._session.post(f"{self._api}/{kind}", json={}) as answer:
            made = await answer.json()
        return str(made.get("id") or made["name"])

    async def has(self, kind: str) -> list[str]:
        """Return the names of its kernels or terminals."""
        async with self._session.get(f"{self._api}/{kind}") as answer:
            return [str(item.get("id") or item["name"]) for item in await answer.json()]

    async def started(self) -> str:
        """Return when this JupyterLab was started."""
        async with self._session.get(f"{self._api}/status") as answer:
            return str((await answer.json())["started"])

    async def run(self, kernel: str, code: str) -> str:
        """Run a cell and return what it printed."""
        channels = f"{self._api}/kernels/{kernel}/channels?session_id=test"
        async with self._session.ws_connect(channels, protocols=(PROTOCOL,)) as socket:
            return await execute(socket, code)


@asynccontextmanager
async def opened(platform: Platform, notebook: str) -> AsyncIterator[Lab]:
    """Open a notebook as its page does."""
    ticket = platform.pipeline.post(f"/environments/{notebook}/tickets")
    jar = CookieJar(unsafe=True)
    origin = {"Origin": platform.options.apps_url}
    async with ClientSession(cookie_jar=jar, headers=origin) as session:
        async with session.get(ticket["url"]) as page:
            assert page.status == 200
            home = str(page.url.with_query(None)).removesuffix("lab")
        yield Lab(session, home)


@contextmanager
def no_limits(platform: Platform) -> Iterator[None]:
    """Take ceilings and rules of the pools away for a while; trainings then stay in their own pool.

    What the robot has submitted it may open, as a person may.
    """
    with _database(platform) as database:
        pools = database.execute("SELECT name, policy FROM inventory_pool").fetchall()
        quotas = database.execute("SELECT id, ceiling, user_ceiling FROM quotas_quota").fetchall()
        database.execute("UPDATE quotas_quota SET ceiling = NULL, user_ceiling = NULL")
        database.execute("UPDATE identity_apitoken SET scopes = scopes || '[\"workload.open\"]'")
    _set_rules(platform)
    try:
        yield
    finally:
        with _database(platform) as database, database.cursor() as cursor:
            cursor.execute("UPDATE identity_apitoken SET scopes = scopes - 'workload.open'")
            cursor.executemany(
                "UPDATE inventory_pool SET policy = %s WHERE name = %s",
                [(json.dumps(policy), name) for name, policy in pools],
            )
            cursor.executemany(
                "UPDATE quotas_quota SET ceiling = %s, user_ceiling = %s WHERE id = %s",
                [(ceiling, user_ceiling, key) for key, ceiling, user_ceiling in quotas],
            )


def _set_rules(platform: Platform, **told: int) -> None:
    with _database(platform) as database:
        database.execute("UPDATE inventory_pool SET policy = %s", [json.dumps(told)])


def _database(platform: Platform) -> psycopg.Connection[tuple[Any, ...]]:
    host = str(platform.stores.socket_dir / "pg")
    return psycopg.connect(host=host, user="postgres", dbname=DATABASE, autocommit=True)


async def test_idle_notebook_lends_its_card_to_other_work_and_gets_it_back(
    platform: Platform,
) -> None:
    pipeline = platform.pipeline

    def shown() -> Any:
        return pipeline.get(f"/environments/{notebook}")

    def wait_for_cards(*words: str) -> None:
        wait_until(lambda: shown()["idle"]["gpu_state"] in words, every_s=SLOWLY_S)

    with no_limits(platform):
        notebook = a_notebook(platform)
        wait_until(lambda: shown()["state"] == "running", every_s=SLOWLY_S)
        async with opened(platform, notebook) as lab:
            born, kernel = await lab.started(), await lab.new("kernels")
            terminal = await lab.new("terminals")
            assert await lab.run(kernel, "print(6 * 7)") == "42\n"
            (own,) = cards_of(shown())
            job = pipeline.submit(WAITS, gpus=CARDS_OF_A_NODE, replicas=2)

            _set_rules(platform, **HASTY)
            pipeline.wait_for(job, "running")
            _set_rules(platform)
            assert own in cards_of(pipeline.job(job))
            # It lives on: the same server, its terminals, but no kernel that was on the card.
            assert (shown()["state"], await lab.started()) == ("running", born)
            assert kernel not in await lab.has("kernels")
            assert terminal in await lab.has("terminals")
            assert shown()["idle"]["gpu_state"] in ("released", "requested")

            kernel = await lab.new("kernels")
            assert json.loads(await lab.run(kernel, READ_NOTICE))["reason"] == "gpus_released"
            assert await lab.run(kernel, "kept = 6 * 9; print(kept)") == "54\n"
            wait_for_cards("requested")
            wait_until(lambda: shown()["idle"]["reasons"], every_s=SLOWLY_S)
            assert shown()["idle"]["position"] == 1

            pipeline.clear([job])
            wait_for_cards("held")
            assert len(cards_of(shown())) == 1
            assert await lab.run(kernel, "print(kept)") == "54\n"
            assert await lab.started() == born
        events = pipeline.get(f"/workloads/{notebook}/events?page_size=100")["results"]
        told = [item["cause"] for item in sorted(events, key=lambda item: item["id"])]
        # On a busy machine a late sign of life may have taken the first warning back.
        assert [cause for cause in told if cause.startswith("idle_")][-6:] == [
            "idle_warned_release",
            *("idle_gpus_releasing", "idle_kernels_ended", "idle_gpus_requested"),
            *("idle_gpus_restoring", "idle_gpus_restored"),
        ]
        pipeline.delete(f"/environments/{notebook}")
        wait_until(lambda: shown()["state"] in ENDED, every_s=SLOWLY_S)


def a_notebook(platform: Platform) -> str:
    """Ask for a notebook with a whole card."""
    asked = {
        "name": "idle chain",
        "group": platform.pipeline.group,
        "pool": "training",
        "image": "jupyter-python",
        "gpus": 1,
        "cpu_milli": 1000,
        "memory_mib": 1024,
    }
    return str(platform.pipeline.post("/environments", asked)["id"])


def cards_of(work: Any) -> set[str]:
    """Return the cards that work holds at present."""
    return {card["uuid"] for item in work["allocations"] for card in item["devices"]}
