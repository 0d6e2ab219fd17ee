"""Round trips to a Jupyter kernel: through the gateway and straight to the notebook."""

import json
import secrets
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any, Final

import aiohttp

from nodeagent.disk.container_dir import AppEndpoint, list_container_dirs
from nodeagent.disk.layout import StateLayout

WARM_UP: Final = 20
BATCH: Final = 20


@dataclass(frozen=True, slots=True)
class KernelSocket:
    """An open channel to one kernel."""

    socket: aiohttp.ClientWebSocketResponse

    async def milliseconds(self, count: int) -> list[float]:
        """Run an empty cell so many times; return what each round trip took."""
        return [await self._round_trip() for _ in range(count)]

    async def _round_trip(self) -> float:
        request = _execute("1")
        started = perf_counter()
        await self.socket.send_str(json.dumps(request))
        while True:
            message = json.loads((await self.socket.receive(timeout=30)).data)
            is_ours = message["parent_header"].get("msg_id") == request["header"]["msg_id"]
            if is_ours and message["msg_type"] == "execute_reply":
                return (perf_counter() - started) * 1000


async def compare(
    http: aiohttp.ClientSession, endpoint: AppEndpoint, gateway: str, count: int
) -> tuple[list[float], list[float]]:
    """Return direct and proxied round trips to one new kernel, measured in turns."""
    direct = f"http://{endpoint.host}:{endpoint.port}{endpoint.base_path}"
    token = {"Authorization": f"token {endpoint.token}"}
    async with http.post(f"{direct}api/kernels", headers=token) as answer:
        answer.raise_for_status()
        channels = f"api/kernels/{(await answer.json())['id']}/channels"
    proxied = f"{gateway}{endpoint.base_path}{channels}"
    async with (
        http.ws_connect(f"{direct}{channels}", headers=token) as bare,
        http.ws_connect(proxied, headers={"Origin": gateway}) as through,
    ):
        near, far = KernelSocket(bare), KernelSocket(through)
        await near.milliseconds(WARM_UP)
        await far.milliseconds(WARM_UP)
        directs: list[float] = []
        throughs: list[float] = []
        while len(directs) < count:
            directs += await near.milliseconds(BATCH)
            throughs += await far.milliseconds(BATCH)
    return directs, throughs


def find_endpoint(data_dir: Path, notebook: str) -> AppEndpoint:
    """Return where the notebook really listens, from its node's own files."""
    for node in (data_dir / "nodes").iterdir():
        for place in list_container_dirs(StateLayout(node / "state").containers):
            endpoint = place.read_endpoint()
            if endpoint is not None and notebook in endpoint.base_path:
                return endpoint
    raise LookupError(notebook)


def _execute(code: str) -> dict[str, Any]:
    header = {
        "msg_id": secrets.token_hex(16),
        "msg_type": "execute_request",
        "session": "bench",
        "username": "bench",
        "date": "",
        "version": "5.3",
    }
    content = {"code": code, "silent": True, "store_history": False, "allow_stdin": False}
    return {
        "header": header,
        "msg_type": "execute_request",
        "parent_header": {},
        "metadata": {},
        "content": content,
        "buffers": [],
        "channel": "shell",
    }
