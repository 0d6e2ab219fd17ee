"""A real JupyterLab behind the gateway."""

import json
import re
from collections.abc import AsyncIterator, Iterator
from uuid import UUID

import pytest
from aiohttp import ClientSession, CookieJar

from nodeagent.disk.container_dir import AppEndpoint
from nodeagent.idle import jupyter_client
from portal.common.errors import NotFoundError
from portal.common.origins import Origin
from portal.endpoints.values import Endpoint, base_path
from portal.gateway.client import create_http_client
from portal.gateway.grants import GrantCache
from portal.gateway.notebook_proxy import NotebookProxy
from tests.builders.endpoints import an_endpoint
from tests.portal.gateway.kernels import PROTOCOL, execute
from tests.portal.gateway.lab import running_lab
from tests.portal.gateway.upstreams import no_ports
from tests.serving import free_socket, serving, url_of

NOTEBOOK = UUID("0190d3a0-0000-7000-8000-000000000001")
TOKEN = "app-token-of-the-notebook"


@pytest.fixture(scope="module")
def jupyter(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AppEndpoint]:
    with running_lab(NOTEBOOK, tmp_path_factory.mktemp("jupyter"), TOKEN) as lab:
        yield lab


@pytest.fixture
async def browser(jupyter: AppEndpoint) -> AsyncIterator[ClientSession]:
    """Return a browser's session on an apps origin whose only ticket is `once`."""
    tickets = {"once"}
    opened = an_endpoint(jupyter.port, TOKEN, name="lab")

    def redeem(code: str, _host_of: UUID | None) -> tuple[str, UUID]:
        if code not in tickets:
            raise NotFoundError("ticket")
        tickets.remove(code)
        return "grant", NOTEBOOK

    def authorise(secret: str, workload_id: UUID) -> Endpoint | None:
        return opened if (secret, workload_id) == ("grant", NOTEBOOK) else None

    listener = free_socket()
    async with create_http_client() as client:
        gateway = NotebookProxy(
            client=client,
            get_port_client=no_ports,
            apps=Origin.parse(url_of(listener)),
            portal=Origin.parse("http://portal.example.org"),
            redeem_ticket=redeem,
            grants=GrantCache(authorise),
            describe_closed=lambda _secret, _workload_id: None,
        )
        jar = CookieJar(unsafe=True)
        async with (
            serving(gateway, listener),
            ClientSession(url_of(listener), cookie_jar=jar) as session,
        ):
            yield session


async def test_a_ticket_leads_into_jupyterlab_and_a_cell_runs(browser: ClientSession) -> None:
    async with browser.get("/open?ticket=once") as page:
        assert page.status == 200
        assert page.url.path == f"{base_path(NOTEBOOK)}lab"
        assert "<title>JupyterLab</title>" in await page.text()
        assert TOKEN not in str(page.headers)
    origin = {"Origin": str(page.url.origin())}
    api = f"{base_path(NOTEBOOK)}api"
    async with browser.post(f"{api}/kernels", headers=origin, json={}) as created:
        kernel = (await created.json())["id"]
    channels = f"{api}/kernels/{kernel}/channels?session_id=test"
    async with browser.ws_connect(channels, protocols=(PROTOCOL,), headers=origin) as socket:
        assert socket.protocol == PROTOCOL
        assert await execute(socket, "print(6 * 7)") == "42\n"
        assert len(await execute(socket, "print('x' * 2_000_000)")) == 2_000_001
    async with browser.delete(f"{api}/kernels/{kernel}", headers=origin) as deleted:
        assert deleted.status == 204


async def test_page_loads_the_platforms_extension(browser: ClientSession) -> None:
    async with browser.get("/open?ticket=once") as page:
        settings = re.search(
            r'id="jupyter-config-data"[^>]*>(.*?)</script>', await page.text(), re.DOTALL
        )
    assert settings is not None
    extensions = {item["name"]: item for item in json.loads(settings[1])["federated_extensions"]}
    load = extensions["berth-jupyterlab"]["load"]
    script = f"{base_path(NOTEBOOK)}lab/extensions/berth-jupyterlab/{load}"
    async with browser.get(script) as answer:
        assert (answer.status, answer.content_type.partition("/")[2]) == (200, "javascript")
        assert "_JUPYTERLAB" in await answer.text()


async def test_files_are_saved_and_compressed_answers_pass(browser: ClientSession) -> None:
    async with browser.get("/open?ticket=once") as page:
        origin = {"Origin": str(page.url.origin())}
    contents = f"{base_path(NOTEBOOK)}api/contents/note.txt"
    document = {"type": "file", "format": "text", "content": "泊位\n" * 10_000}
    async with browser.put(contents, headers=origin, json=document) as saved:
        assert saved.status == 201
    async with browser.get(contents, headers={"Accept-Encoding": "gzip"}) as read:
        assert (await read.json())["content"] == document["content"]


async def test_jupyter_itself_refuses_whoever_comes_around_the_gateway(
    jupyter: AppEndpoint,
) -> None:
    url = f"http://{jupyter.host}:{jupyter.port}{base_path(NOTEBOOK)}api/contents"
    async with ClientSession() as stranger, stranger.get(url) as response:
        assert response.status == 403


async def test_agent_sees_what_it_does_and_ends_its_kernels(jupyter: AppEndpoint) -> None:
    before = await jupyter_client.read_activity(jupyter)
    url = f"http://{jupyter.host}:{jupyter.port}{base_path(NOTEBOOK)}api/kernels"
    headers = {"Authorization": f"token {TOKEN}"}
    async with ClientSession(headers=headers) as session, session.post(url, json={}) as created:
        name = (await created.json())["id"]
    assert (await jupyter_client.read_activity(jupyter)).kernels != before.kernels
    assert name in await jupyter_client.list_kernels(jupyter)
    await jupyter_client.shut_down_kernels(jupyter, [name, "0190d3a0-0000-7000-8000-000000000009"])
    assert name not in await jupyter_client.list_kernels(jupyter)
