"""On `make run` with its simulated activity: people of the demo run work, and a newcomer starts at once."""

from typing import Final

import pytest

from bench.activity import connected, count_work
from bench.visitor import signed_in
from tests.launcher import Launched, running
from tests.waiting import wait_until_async

pytestmark = [pytest.mark.integration, pytest.mark.long, pytest.mark.timeout(900)]
BUSY: Final = 6
LIFE_S: Final = 600
"""How soon a visitor sees life, at any hour."""


async def test_the_activity_runs_and_leaves_room_for_a_newcomer() -> None:
    with running("activity", "--runtime", "process", "--nodes", "5", has_activity=True) as launched:
        await wait_until_async(
            lambda: count_work(launched.data_dir, "running") >= BUSY, within_s=LIFE_S, every_s=1
        )
        await wait_until_async(lambda: _busiest_card(launched) > 20, within_s=LIFE_S, every_s=1)
        async with signed_in(launched.demo, 0) as newcomer:
            await newcomer.seconds_to_running_job("first job")
            notebook = await newcomer.ready_notebook("first notebook")
            await newcomer.remove_notebook(notebook)


def _busiest_card(launched: Launched) -> int:
    """Return the percent that the busiest card was last seen at."""
    with connected(launched.data_dir) as database:
        found = database.execute(
            "SELECT max(coalesce(utilisation_pct, 0)) FROM inventory_accelerator"
        ).fetchone()
    return int(found[0]) if found else 0
