"""Leaving cards and coming back: checkpoints on a fake libcuda, real processes, a small JupyterLab."""

import ctypes
import os
import subprocess
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from nodeagent.core.state import ContainerKey
from nodeagent.disk.container_dir import AppEndpoint, ContainerDir
from nodeagent.idle import jupyter_client
from nodeagent.idle.checkpoint import CudaCheckpointer
from nodeagent.idle.cuda_checkpoint import NOT_READY, CudaProcessState, LibCuda
from nodeagent.idle.gpu_release import GpuReleaser
from nodeagent.ports import GpuPresence
from tests.fakes.cuda.library import NOT_SUPPORTED
from tests.fakes.node_ports import FakeClock
from tests.fakes.sharing import FakeSharing
from wire.words import Device, GpuReleaseState

KEY = ContainerKey("lab.0", 1)
CARD = Device("card-1", 32768)
ENDED_PID = 2**22 + 1
"""Of no process that exists: above every limit of a kernel."""
KERNEL = "0190d3a0-0000-7000-8000-00000000000a"


@dataclass
class Notebook:
    """One notebook: its lab, a process that is its kernel, and the card as its driver sees it."""

    directory: ContainerDir
    process: subprocess.Popen[bytes]
    state: str = "idle"
    kernels: list[str] = field(default_factory=lambda: [KERNEL])
    is_clean: bool = True
    is_blind: bool = False
    held_mib: int = 64
    strays: list[int] = field(default_factory=list)
    """Processes that are on the card for one more look."""
    cuda: LibCuda | None = None
    sharing: FakeSharing = field(default_factory=FakeSharing)

    async def see(self, key: ContainerKey, uuids: object) -> GpuPresence | None:
        """Look at the card: the kernel is on it while it lives and is not checkpointed."""
        if self.is_blind:
            return None
        pid = self.process.pid
        is_on = self.process.poll() is None
        if self.cuda is not None:
            is_on = is_on and await self.cuda.state(pid) is not CudaProcessState.CHECKPOINTED
        strays, self.strays = self.strays, []
        on_card = frozenset([*strays, pid] if is_on else strays)
        return GpuPresence(on_card, is_memory_returned=self.is_clean, memory_mib=self.held_mib)

    async def listed(self, request: web.Request) -> web.Response:
        if request.headers["Authorization"] != "token secret":
            return web.Response(status=403)
        found = [{"id": name, "execution_state": self.state} for name in self.kernels]
        return web.json_response(found)

    async def ended(self, request: web.Request) -> web.Response:
        self.kernels.remove(request.match_info["name"])
        self.process.kill()
        self.process.wait()
        return web.Response(status=204)

    def releaser(self, checkpointer: CudaCheckpointer | None = None) -> GpuReleaser:
        return GpuReleaser(
            self.directory.path.parent,
            self.see,
            self.sharing,
            checkpointer,
            FakeClock(),
            release_s=0.05,
        )


@pytest.fixture
def kernel() -> Iterator[subprocess.Popen[bytes]]:
    """A process that lives until it is killed, started as kernels are."""
    command = ["sh", "-c", "read _", f"kernel-{KERNEL}.json"]
    with subprocess.Popen(command, stdin=subprocess.PIPE) as process:
        yield process
        process.kill()


@pytest.fixture
async def notebook(tmp_path: Path, kernel: subprocess.Popen[bytes]) -> AsyncIterator[Notebook]:
    directory = ContainerDir(tmp_path, KEY)
    os.close(directory.create((CARD,)))
    made = Notebook(directory, kernel)
    app = web.Application()
    app.router.add_get("/e/api/kernels", made.listed)
    app.router.add_delete("/e/api/kernels/{name}", made.ended)
    async with TestServer(app) as server:
        directory.write_endpoint(AppEndpoint("127.0.0.1", server.port or 0, "/e/", "secret"))
        yield made


@pytest.fixture
def cuda(library: Path, fake: ctypes.CDLL, notebook: Notebook) -> LibCuda:
    fake.fake_process(notebook.process.pid)
    notebook.cuda = LibCuda(str(library), call_s=30)
    return notebook.cuda


async def test_kernel_on_the_card_is_ended_and_the_notebook_keeps_running(
    notebook: Notebook,
) -> None:
    moved = await notebook.releaser().release(KEY, (CARD,))
    assert (moved.state, moved.detail) == (GpuReleaseState.AWAY, "kernels")
    assert notebook.kernels == []
    assert (notebook.directory.read_container().gpu_state, notebook.directory.read_devices()) == (
        GpuReleaseState.AWAY,
        (),
    )
    assert KEY in notebook.sharing.left
    back = await notebook.releaser().reacquire(KEY, (CARD,))
    assert (back.state, back.detail) == (GpuReleaseState.HELD, "")
    assert (notebook.directory.read_container().gpu_state, notebook.directory.read_devices()) == (
        GpuReleaseState.HELD,
        (CARD,),
    )


async def test_checkpoint_leaves_the_kernel_alive_and_restores_it(
    notebook: Notebook, cuda: LibCuda
) -> None:
    moved = await notebook.releaser(CudaCheckpointer(cuda)).release(KEY, (CARD,))
    assert (moved.state, moved.detail) == (GpuReleaseState.AWAY, "checkpoint")
    assert notebook.kernels == [KERNEL]
    # Another agent, after a restart, brings it back.
    back = await notebook.releaser(CudaCheckpointer(cuda)).reacquire(KEY, (CARD,))
    assert (back.state, back.detail) == (GpuReleaseState.HELD, "")
    assert await cuda.state(notebook.process.pid) is CudaProcessState.RUNNING


async def test_work_that_has_no_checkpoint_ends_instead(
    notebook: Notebook, cuda: LibCuda, fake: ctypes.CDLL
) -> None:
    fake.fake_fail(b"Checkpoint", notebook.process.pid, NOT_SUPPORTED, 0)
    moved = await notebook.releaser(CudaCheckpointer(cuda)).release(KEY, (CARD,))
    assert (moved.state, moved.detail) == (GpuReleaseState.AWAY, "kernels")


async def test_state_that_would_not_fit_into_the_memory_is_not_moved(
    notebook: Notebook, cuda: LibCuda
) -> None:
    notebook.held_mib = 1024
    checkpointer = CudaCheckpointer(cuda, lambda _: 1024)
    moved = await notebook.releaser(checkpointer).release(KEY, (CARD,))
    assert (moved.state, moved.detail) == (GpuReleaseState.AWAY, "kernels_no_memory")
    assert notebook.kernels == []


async def test_work_on_the_card_beside_any_cell_keeps_it(
    notebook: Notebook, cuda: LibCuda, fake: ctypes.CDLL
) -> None:
    fake.fake_fail(b"Lock", notebook.process.pid, NOT_READY, 0)
    moved = await notebook.releaser(CudaCheckpointer(cuda)).release(KEY, (CARD,))
    assert (moved.state, moved.detail) == (GpuReleaseState.KEPT, "in_use")
    assert notebook.kernels == [KERNEL]
    assert await cuda.state(notebook.process.pid) is CudaProcessState.RUNNING


async def test_process_that_ends_meanwhile_does_not_end_the_kernel(
    notebook: Notebook, cuda: LibCuda
) -> None:
    notebook.strays = [ENDED_PID]
    moved = await notebook.releaser(CudaCheckpointer(cuda)).release(KEY, (CARD,))
    assert (moved.state, moved.detail) == (GpuReleaseState.AWAY, "checkpoint")
    assert notebook.kernels == [KERNEL]


async def test_state_that_is_lost_on_the_way_back_is_told(
    notebook: Notebook, cuda: LibCuda, fake: ctypes.CDLL
) -> None:
    releaser = notebook.releaser(CudaCheckpointer(cuda))
    await releaser.release(KEY, (CARD,))
    fake.fake_fail(b"Restore", notebook.process.pid, NOT_SUPPORTED, 1)
    back = await releaser.reacquire(KEY, (CARD,))
    assert back.state is GpuReleaseState.HELD
    assert back.detail.startswith("state_lost: Restore of")


async def test_memory_that_is_not_returned_frees_nothing_and_undoes_all(
    notebook: Notebook, cuda: LibCuda
) -> None:
    notebook.is_clean = False
    moved = await notebook.releaser(CudaCheckpointer(cuda)).release(KEY, (CARD,))
    assert (moved.state, moved.detail) == (GpuReleaseState.KEPT, "memory_not_returned")
    assert await cuda.state(notebook.process.pid) is CudaProcessState.RUNNING
    assert notebook.directory.read_devices() == (CARD,)


async def test_busy_kernel_keeps_its_card(notebook: Notebook) -> None:
    notebook.state = "busy"
    moved = await notebook.releaser().release(KEY, (CARD,))
    assert (moved.state, moved.detail) == (GpuReleaseState.KEPT, "in_use")
    assert notebook.process.poll() is None


async def test_card_that_tells_nothing_is_not_given_away(notebook: Notebook) -> None:
    notebook.is_blind = True
    moved = await notebook.releaser().release(KEY, (CARD,))
    assert moved.state is GpuReleaseState.KEPT
    assert moved.detail.startswith("unmeasured")


async def test_lab_that_answers_nonsense_is_silent(notebook: Notebook) -> None:
    endpoint = notebook.directory.read_endpoint()
    assert endpoint is not None
    strange = AppEndpoint(endpoint.host, endpoint.port, "/e/", "wrong")
    with pytest.raises(jupyter_client.JupyterUnavailableError):
        await jupyter_client.read_activity(strange)
