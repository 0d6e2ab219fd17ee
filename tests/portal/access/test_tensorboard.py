"""TensorBoard by a button, below a path of the apps origin."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.event_files import TAG, WRITE_EVENTS
from tests.portal.access.app_tab import an_app_tab
from tests.waiting import PATIENCE_S, wait_until_async

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("redis_url"),
]
COMMAND = ["tensorboard", "--logdir={folder}", "--host=127.0.0.1", "--port={port}"]


def leave_events(outputs: Path) -> None:
    environment = {"BERTH_OUTPUT_DIR": str(outputs), "PATH": f"{sys.prefix}/bin:/usr/bin:/bin"}
    subprocess.run([sys.executable, "-c", WRITE_EVENTS], env=environment, check=True)


async def test_tensorboard_answers_with_what_the_job_has_left(tmp_path: Path) -> None:
    async with an_app_tab(tmp_path, leave_events, name="tensorboard", command=COMMAND) as tab:
        address = await tab.open()
        port, session = tab.started.spec.ports[0], tab.started.session.pk
        assert address.endswith(f"/e/{session}/port/{port}/")

        async def tags() -> Any:
            return json.loads(await tab.read(f"{address}data/plugin/scalars/tags") or "null")

        text = await wait_until_async(lambda: tab.read(address), within_s=3 * PATIENCE_S)

        assert "<title>TensorBoard</title>" in text
        found = await wait_until_async(tags, within_s=3 * PATIENCE_S)
        assert [name for run in found.values() for name in run] == [TAG]
