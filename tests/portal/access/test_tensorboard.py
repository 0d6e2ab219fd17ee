"""TensorBoard by a button, from the request to its own answer: a real container of the process runtime.

The portal's services, what it sends to a node, the runtime of an agent, the stream that a node opens, and
the gateway in front. Only the scheduler and the link of the node are played by the test.
"""

import json
import subprocess
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from aiohttp import ClientSession, CookieJar

from nodeagent.core.state import ContainerKey
from nodeagent.ports import ContainerOrder
from nodeagent.process.exec import ProcessExecAdapter
from nodeagent.process.launch import ProcessSettings
from nodeagent.process.runtime import ProcessRuntime
from portal.access.stream_broker import StreamBroker
from portal.access.tunnels import open_tunnels
from portal.common.concurrency import run_in_thread
from portal.common.origins import Origin
from portal.environments import app_sessions, services
from portal.environments.app_sessions import JobFolder
from portal.gateway.client import create_http_client
from portal.gateway.grants import GrantCache
from portal.gateway.notebook_proxy import NotebookProxy
from portal.workloads.models import Workload
from tests.builders.apps import an_app
from tests.builders.people import an_actor
from tests.builders.scenes import Scene, a_scene
from tests.builders.scripted_node import finished, running
from tests.event_files import TAG, WRITE_EVENTS
from tests.portal.access.site import OneNode
from tests.serving import free_socket, serving, url_of
from tests.waiting import PATIENCE_S, wait_until_async
from wire.messages import ContainerSpec
from wire.words import ExitCause

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("redis_url"),
]


@dataclass
class Started:
    """A session that was started on a job with event files, as its node was sent it."""

    scene: Scene
    session: Workload
    key: ContainerKey
    spec: ContainerSpec

    def report_running(self) -> str:
        """Let the node report that it runs; return the address of a ticket."""
        (held,) = self.scene.held(self.session)
        self.scene.links[0].beat(containers=[running(held)])
        actor = an_actor(self.scene.owner)
        issued = services.issue_ticket(actor=actor, workload_id=self.session.pk, kind="app")
        return issued.url


def press_the_button(storage: Path) -> Started:
    """Start TensorBoard on a job that has ended and left event files."""
    scene = a_scene(slices=8)
    job = scene.work(name="night", slices=1)
    (held,) = scene.place(job, scene.placement(cards=(0,), slots=(0,)))
    scene.links[0].beat()
    scene.links[0].beat(containers=[running(held)])
    scene.links[0].beat(finished=[finished(held)])
    outputs = storage / "outputs" / str(job.pk)
    outputs.mkdir(parents=True)
    environment = {"BERTH_OUTPUT_DIR": str(outputs), "PATH": f"{sys.prefix}/bin:/usr/bin:/bin"}
    subprocess.run([sys.executable, "-c", WRITE_EVENTS], env=environment, check=True)
    command = ["tensorboard", "--logdir={folder}", "--host=127.0.0.1", "--port={port}"]
    an_app("tensorboard", command=command)

    actor = an_actor(scene.owner)
    session = app_sessions.start_session(actor=actor, app="tensorboard", of=JobFolder(job.pk))
    (own,) = scene.place(session, scene.placement())
    (desired,) = scene.links[0].beat().containers
    return Started(scene, session, ContainerKey(own.wire_name, own.epoch), desired.spec)


@dataclass
class Tab:
    """A browser's tab, and where the apps origin is."""

    url: str
    started: Started
    client: ClientSession

    async def open(self) -> str:
        """Follow a ticket; return the address of the app."""
        query = urlsplit(await run_in_thread(self.started.report_running)).query
        assert parse_qs(query)["port"] == [str(self.started.spec.ports[0])]
        async with self.client.get(f"{self.url}/open?{query}", allow_redirects=False) as answer:
            assert answer.status == 303
            return f"{self.url}{answer.headers['Location']}"


@pytest.fixture
async def tab(tmp_path: Path) -> AsyncIterator[Tab]:
    started = await run_in_thread(press_the_button, tmp_path / "storage")
    containers = tmp_path / "containers"
    settings = ProcessSettings("node", tmp_path / "storage", "127.0.0.1", {}, Path(sys.prefix))
    runtime = ProcessRuntime(containers, settings)
    node = OneNode(runtime, ProcessExecAdapter(containers, "127.0.0.1"), started.scene.nodes[0].pk)
    broker = StreamBroker(node.authenticate, node.send_to)
    streams, apps = free_socket(), free_socket()
    node.url = url_of(streams)
    async with (
        serving(broker, streams),
        open_tunnels(broker) as tunnels,
        create_http_client() as client,
        ClientSession(cookie_jar=CookieJar(unsafe=True)) as browser,
    ):
        gateway = NotebookProxy(
            client=client,
            get_port_client=tunnels.get_client,
            apps=Origin.parse(url_of(apps)),
            portal=Origin.parse("http://portal.example.org"),
            redeem_ticket=services.redeem_ticket,
            grants=GrantCache(services.authorise_grant),
            describe_closed=services.describe_closed,
        )
        async with serving(gateway, apps):
            order = ContainerOrder(started.key, (), started.spec)
            await runtime.start(order, lambda *_: None)
            node.live.add(started.key)
            yield Tab(url_of(apps), started, browser)
            await runtime.stop(started.key, ExitCause.STOPPED, 0)
            await runtime.wait_for_end(started.key)
            for task in node.tasks:
                task.cancel()


async def test_tensorboard_answers_with_what_the_job_has_left(tab: Tab) -> None:
    address = await tab.open()
    html = {"Accept": "text/html"}

    async def page() -> Any:
        async with tab.client.get(address, headers=html) as answer:
            text = await answer.text()
            # Until it listens, the gateway says that it starts, and nothing else.
            assert answer.status in (200, 503), text
            return text if answer.status == 200 else None

    async def tags() -> Any:
        async with tab.client.get(f"{address}data/plugin/scalars/tags") as answer:
            return json.loads(await answer.text())

    text = await wait_until_async(page, within_s=3 * PATIENCE_S)

    assert "<title>TensorBoard</title>" in text
    found = await wait_until_async(tags, within_s=3 * PATIENCE_S)
    assert [name for run in found.values() for name in run] == [TAG]
