"""The bare floor: the same work, started by the same runtime class, without any platform."""

import asyncio
import secrets
import sys
from pathlib import Path
from time import monotonic
from typing import Final

from nodeagent.app.readiness import SERVER_PROBE, wait_for_server
from nodeagent.core.state import ContainerKey
from nodeagent.ports import ContainerOrder
from nodeagent.process.launch import ProcessSettings
from nodeagent.process.runtime import ProcessRuntime
from wire.messages import ContainerSpec
from wire.words import ExitCause

STOP_MS: Final = 2_000


class Floor:
    """A process runtime of our own in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        settings = ProcessSettings(
            node="floor",
            storage_dir=folder / "storage",
            bind_address="127.0.0.1",
            images={},
            default_prefix=Path(sys.prefix),
        )
        self._runtime = ProcessRuntime(folder / "containers", settings)

    async def seconds_to_ready_notebooks(self, count: int) -> float:
        """Start notebooks at once and return how long the last one took to answer."""
        orders = [_notebook() for _ in range(count)]
        started = monotonic()
        await asyncio.gather(*(self._until_ready(order) for order in orders))
        seconds = monotonic() - started
        await asyncio.gather(*(self._end(order) for order in orders))
        return seconds

    async def seconds_to_running_job(self) -> float:
        """Start a job and return how long its start took."""
        order = _order(ContainerSpec(kind="training", script="sleep 60", **_common()))
        started = monotonic()
        await self._runtime.start(order, _ignore)
        seconds = monotonic() - started
        await self._end(order)
        return seconds

    async def _until_ready(self, order: ContainerOrder) -> None:
        running = await self._runtime.start(order, _ignore)
        if running.endpoint is not None:  # always, for an environment
            await wait_for_server(running.endpoint, SERVER_PROBE)

    async def _end(self, order: ContainerOrder) -> None:
        await self._runtime.stop(order.key, ExitCause.STOPPED, STOP_MS)
        await self._runtime.wait_for_end(order.key)
        await self._runtime.remove(order.key)


def _notebook() -> ContainerOrder:
    common = _common()
    path = f"/e/{common['workload']}/"
    return _order(
        ContainerSpec(kind="environment", base_path=path, app_token=secrets.token_hex(16), **common)
    )


def _order(spec: ContainerSpec) -> ContainerOrder:
    return ContainerOrder(ContainerKey(f"{spec.workload}.0", 1), (), spec)


def _common() -> dict[str, object]:
    name = secrets.token_hex(16)
    return {"workload": name, "name": name, "image": "", "cpu_milli": 2000, "memory_mib": 4096}


def _ignore(_step: str, _percent: int | None = None, /) -> None:
    """Ignore the steps of a start: nothing here shows them."""
