"""A secret from its owner to the work: everything that is stored or sent is searched for its value."""

import asyncio
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import psutil
import psycopg
import pytest
from aiohttp import ClientSession
from redis import Redis

from nodeagent.disk.layout import StateLayout
from nodeagent.host.secret_files import root_for
from tests.integration.platform import SLOWLY_S, Platform
from tests.waiting import wait_until

pytestmark = [pytest.mark.integration, pytest.mark.timeout(300)]

CANARY: Final = "canary-0b7d54f1c2"
VALUE: Final = f"{CANARY} a token"
USES: Final = [
    {"name": "hub", "as": "env", "target": "HUB_TOKEN"},
    {"name": "hub", "as": "file", "target": "hub.txt"},
]
SCRIPT: Final = """#!/bin/sh
[ "$HUB_TOKEN" = "$(cat "$BERTH_SECRETS_DIR/hub.txt")" ] && echo "both are ${#HUB_TOKEN} long"
until [ -e "$BERTH_OUTPUT_DIR/go" ]; do sleep 0.1; done
"""


def database(platform: Platform) -> "psycopg.Connection[Any]":
    """Connect to the platform's database."""
    return psycopg.connect(platform.stores.database_url, autocommit=True)


@contextmanager
def wider_token(platform: Platform) -> Iterator[None]:
    """Let the robot's token manage secrets for a while."""
    with database(platform) as connection:
        connection.execute(
            'UPDATE identity_apitoken SET scopes = scopes || \'["secret.manage", "secret.view"]\''
        )
    try:
        yield
    finally:
        with database(platform) as connection:
            connection.execute(
                "UPDATE identity_apitoken SET scopes = scopes - 'secret.manage' - 'secret.view'"
            )


async def frames_of(platform: Platform, job: str, go: Path) -> list[str]:
    """Follow the job on the socket of pages to its end, and return every frame."""
    frames: list[str] = []
    headers = {
        "Authorization": f"Bearer {platform.pipeline.token}",
        "Origin": platform.options.portal_url,
    }
    url = platform.options.portal_url.replace("http", "ws", 1) + "/ws"
    async with ClientSession(headers=headers) as session, session.ws_connect(url) as socket:
        topics = [{"topic": f"workload:{job}"}, {"topic": f"log:{job}:0", "seq": 0}]
        await socket.send_str(json.dumps({"op": "subscribe", "topics": topics}))
        async with asyncio.timeout(60):
            frames.append(str((await socket.receive()).data))
            await asyncio.to_thread(go.touch)
            while platform.pipeline.job(job)["state"] not in ("succeeded", "failed"):
                try:
                    async with asyncio.timeout(SLOWLY_S):
                        frames.append(str((await socket.receive()).data))
                except TimeoutError:
                    continue
    return frames


def stored_in_redis(platform: Platform) -> bytes:
    """Return everything that Redis holds."""
    client = Redis.from_url(platform.stores.redis_url)
    return b"".join(key + (client.dump(key) or b"") for key in client.scan_iter())


def files_with(text: bytes, root: Path) -> list[str]:
    """Return the files below a folder that contain a text; what is removed meanwhile does not."""
    found = []
    for path in root.rglob("*"):
        try:
            if path.is_file() and not path.is_symlink() and text in path.read_bytes():
                found.append(str(path.relative_to(root)))
        except OSError:
            continue
    return found


def secret_folders(platform: Platform) -> list[Path]:
    """Return the folders of secrets that the agents of this platform have in memory."""
    roots = [
        root_for(StateLayout(path.parent.resolve()).root)
        for path in platform.folder.rglob("agent.lock")
    ]
    assert roots, "no agent has a state directory"
    return [folder for root in roots if root.is_dir() for folder in root.iterdir()]


def test_a_value_reaches_the_work_and_is_found_nowhere_else(platform: Platform) -> None:
    pipeline = platform.pipeline
    with wider_token(platform):
        made = pipeline.post("/secrets", {"name": "hub", "value": VALUE})
        job = pipeline.submit(SCRIPT, secrets=USES)
        pipeline.wait_for(job, "running")
        said = lambda: f"both are {len(VALUE)} long" in platform.stored_log(job)  # noqa: E731
        wait_until(said, within_s=30, every_s=SLOWLY_S)

        (folder,) = secret_folders(platform)
        assert (folder / "hub.txt").read_text(encoding="utf-8") == VALUE
        commands = [
            " ".join(each.info["cmdline"] or ()) for each in psutil.process_iter(["cmdline"])
        ]
        assert not any(CANARY in command for command in commands)
        while_it_runs = files_with(CANARY.encode(), platform.folder)

        frames = asyncio.run(frames_of(platform, job, platform.outputs(job) / "go"))
        pipeline.wait_for(job, "succeeded")
        wait_until(lambda: not secret_folders(platform), within_s=30, every_s=SLOWLY_S)
        answers = [
            pipeline.get("/secrets"),
            pipeline.job(job),
            pipeline.get(f"/workloads/{job}/events"),
        ]

    with database(platform) as connection:
        connection.execute("CHECKPOINT")
        (used,) = connection.execute(
            "SELECT count(*) FROM audit_auditevent WHERE action = 'secret.use'"
        ).fetchone() or (0,)
    assert used == 1, "one secret, named twice, was given once"
    assert while_it_runs == []
    assert files_with(CANARY.encode(), platform.folder) == []
    assert CANARY.encode() not in stored_in_redis(platform)
    assert frames
    assert CANARY not in json.dumps([made, answers, frames])
