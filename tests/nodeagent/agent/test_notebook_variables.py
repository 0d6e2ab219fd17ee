"""A real agent and a real JupyterLab: what its owner sets is in kernels, terminals and SSH sessions."""

from pathlib import Path

from aiohttp import ClientSession

from nodeagent.core.state import ContainerKey
from nodeagent.disk.container_dir import AppEndpoint, ContainerDir
from nodeagent.process.exec import ProcessExecAdapter
from tests.builders.agent_process import AgentProcess, an_agent
from tests.fakes.portal import a_desired_container
from tests.portal.gateway.kernels import PROTOCOL, execute
from tests.waiting import PATIENCE_S

KEY = ContainerKey("lab.0", 1)


def endpoint_of(agent: AgentProcess) -> AppEndpoint:
    endpoint = ContainerDir(agent.layout.containers, KEY).read_endpoint()
    assert endpoint is not None
    return endpoint


async def in_a_kernel(page: ClientSession, base: str, code: str) -> str:
    async with page.post(f"{base}api/kernels", json={}) as made:
        kernel = (await made.json())["id"]
    channels = f"{base}api/kernels/{kernel}/channels?session_id=test"
    async with page.ws_connect(channels, protocols=(PROTOCOL,)) as socket:
        return await execute(socket, code)


async def in_a_terminal(page: ClientSession, base: str, line: str, until: str) -> str:
    async with page.post(f"{base}api/terminals", json={}) as made:
        name = (await made.json())["name"]
    said = ""
    async with page.ws_connect(f"{base}terminals/websocket/{name}") as socket:
        await socket.send_json(["stdin", f"{line}\n"])
        while until not in said:
            kind, *rest = await socket.receive_json(timeout=PATIENCE_S)
            said += rest[0] if kind == "stdout" else ""
    return said


async def over_ssh(agent: AgentProcess, command: str) -> bytes:
    """Run a command as the gateway of SSH has it run."""
    adapter = ProcessExecAdapter(agent.layout.containers, "127.0.0.1")
    session = await adapter.open_shell(KEY, command, None)
    said = b""
    while (part := await session.read()) is not None:
        said += part[1]
    await session.close()
    return said


async def test_variables_are_wherever_its_owner_works(tmp_path: Path) -> None:
    lab = a_desired_container(
        *("lab.0",),
        kind="environment",
        app_token="secret",
        base_path="/e/",
        command=(),
        env={"GREETING": "hel lo", "JUPYTER_TOKEN": "mine"},
    )
    async with an_agent(tmp_path) as agent:
        agent.portal.want(lab)
        await agent.portal.nudge()
        await agent.portal.reported("lab.0", 3 * PATIENCE_S, phase="running")

        endpoint = endpoint_of(agent)
        base = f"http://{endpoint.host}:{endpoint.port}{endpoint.base_path}"
        headers = {"Authorization": f"token {endpoint.token}"}
        async with ClientSession(headers=headers) as page:
            code = "import os; print(os.environ['GREETING'])"
            assert await in_a_kernel(page, base, code) == "hel lo\n"
            line = 'echo "<$GREETING>"'
            assert "<hel lo>" in await in_a_terminal(page, base, line, until="<hel lo>")
        assert await over_ssh(agent, 'echo "$GREETING"') == b"hel lo\n"
        assert endpoint.token == "secret"
