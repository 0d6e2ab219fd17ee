"""An app by a button, from the request to its own answer: a real container of the process runtime.

The portal's services, what it sends to a node, the runtime of an agent, the stream that a node opens, and
the gateway in front. Only the scheduler and the link of the node are played by the test.
"""

import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from aiohttp import ClientSession, CookieJar, TCPConnector
from aiohttp.abc import AbstractResolver, ResolveResult
from typing_extensions import override
from yarl import URL

from nodeagent.core.state import ContainerKey
from nodeagent.ports import ContainerOrder
from nodeagent.process.exec import ProcessExecAdapter
from nodeagent.process.launch import ProcessSettings
from nodeagent.process.runtime import ProcessRuntime
from portal.access.tunnels import open_tunnels
from portal.agentlink.streams import StreamBroker
from portal.app_sessions import services as app_sessions
from portal.app_sessions.services import JobFolder
from portal.common.concurrency import run_in_thread
from portal.common.origins import HostPattern, Origin
from portal.endpoints import services
from portal.gateway.client import create_http_client
from portal.gateway.grants import GrantCache
from portal.gateway.notebook_proxy import NotebookProxy
from portal.workloads.models import Workload
from tests.builders.apps import an_app
from tests.builders.people import an_actor
from tests.builders.scenes import Scene, a_scene
from tests.builders.scripted_node import finished, running
from tests.portal.access.site import OneNode
from tests.serving import free_socket, port_of, serving, url_of
from tests.site_config import override_site_config
from wire.messages import ContainerSpec
from wire.words import ExitCause

LeaveOutputs = Callable[[Path], None]
"""Fills the folder of outputs of a job."""


@dataclass
class Started:
    """A session that was started on what a job has left, as its node was sent it."""

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


def press_the_button(storage: Path, leave: LeaveOutputs, **app: Any) -> Started:
    """Start an app on a job that has ended and left something."""
    scene = a_scene(slices=8)
    job = scene.work(name="night", slices=1)
    (held,) = scene.place(job, scene.placement(cards=(0,), slots=(0,)))
    scene.links[0].beat()
    scene.links[0].beat(containers=[running(held)])
    scene.links[0].beat(finished=[finished(held)])
    outputs = storage / "outputs" / str(job.pk)
    outputs.mkdir(parents=True)
    leave(outputs)
    made = an_app(**app)

    actor = an_actor(scene.owner)
    session = app_sessions.start_session(actor=actor, app=made.name, of=JobFolder(job.pk))
    (own,) = scene.place(session, scene.placement())
    (desired,) = scene.links[0].beat().containers
    return Started(scene, session, ContainerKey(own.wire_name, own.epoch), desired.spec)


class _ThisMachine(AbstractResolver):
    """Finds every name here, as browsers find those below `localhost`."""

    @override
    async def resolve(self, host: str, port: int = 0, family: int = 0) -> list[ResolveResult]:
        found = ResolveResult(
            hostname=host, host="127.0.0.1", port=port, family=2, proto=0, flags=0
        )
        return [found]

    @override
    async def close(self) -> None:
        """Hold nothing."""


@dataclass
class Tab:
    """A browser's tab, and the session that it is for."""

    started: Started
    client: ClientSession

    async def open(self) -> str:
        """Follow a ticket; return the address of the app."""
        url = await run_in_thread(self.started.report_running)
        async with self.client.get(url, allow_redirects=False) as answer:
            assert answer.status == 303
            return str(answer.url.join(URL(answer.headers["Location"])))

    async def read(self, address: str) -> str | None:
        """Return a page, once there is one: before, the gateway says that it starts, and nothing else."""
        async with self.client.get(address, headers={"Accept": "text/html"}) as answer:
            text = await answer.text()
            assert answer.status in (200, 503), text
            return text if answer.status == 200 else None


@asynccontextmanager
async def an_app_tab(
    folder: Path, leave: LeaveOutputs, prefix: Path = Path(sys.prefix), **app: Any
) -> AsyncIterator[Tab]:
    """Provide a tab for an app of a catalogue, whose image is a Python environment at `prefix`."""
    streams, apps = free_socket(), free_socket()
    hosts = HostPattern.parse(f"http://*.localhost:{port_of(apps)}")
    with override_site_config(apps_url=url_of(apps), apps_hosts=hosts):
        storage, containers = folder / "storage", folder / "containers"
        started = await run_in_thread(lambda: press_the_button(storage, leave, **app))
        settings = ProcessSettings("node", storage, "127.0.0.1", {}, prefix)
        runtime = ProcessRuntime(containers, settings)
        adapter = ProcessExecAdapter(containers, "127.0.0.1")
        node = OneNode(runtime, adapter, started.scene.nodes[0].pk)
        broker = StreamBroker(node.authenticate, node.send_to)
        node.url = url_of(streams)
        async with (
            serving(broker, streams),
            open_tunnels(broker) as tunnels,
            create_http_client() as client,
            ClientSession(
                cookie_jar=CookieJar(unsafe=True), connector=TCPConnector(resolver=_ThisMachine())
            ) as browser,
        ):
            gateway = NotebookProxy(
                client=client,
                get_port_client=tunnels.get_client,
                apps=Origin.parse(url_of(apps)),
                portal=Origin.parse("http://portal.example.org"),
                redeem_ticket=services.redeem_ticket,
                grants=GrantCache(services.authorise_grant),
                describe_closed=services.describe_closed,
                hosts=hosts,
            )
            async with serving(gateway, apps):
                order = ContainerOrder(started.key, (), started.spec)
                await runtime.start(order, lambda *_: None)
                node.live.add(started.key)
                yield Tab(started, browser)
                await runtime.stop(started.key, ExitCause.STOPPED, 0)
                await runtime.wait_for_end(started.key)
                for task in node.tasks:
                    task.cancel()
