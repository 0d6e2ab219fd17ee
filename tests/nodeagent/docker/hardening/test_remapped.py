"""A node whose engine shifts every id, and whose images are read-only: what the work can write, and as whom."""

import asyncio
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest

from nodeagent.core.state import ContainerKey
from nodeagent.docker.containers.container_spec import DockerRuntimeSettings
from nodeagent.docker.engine.client import DockerEngine
from nodeagent.docker.runtime import DockerRuntime
from nodeagent.ports import Injection, Mount, StartError
from tests.nodeagent.docker.daemon.daemon import SHIFT, Daemon
from tests.nodeagent.docker.daemon.images import with_file
from tests.nodeagent.docker.hardening.conftest import USER, an_order
from tests.tiny_image import programs_root
from tests.waiting import PATIENCE_S

pytestmark = pytest.mark.docker

IMAGE: Final = "berth/tries:1"
TRIES: Final = """#!/bin/sh
read inside outside count </proc/self/uid_map
echo "root is $outside"
[ -e kept ] && read word <kept && echo "kept $word"
for path in /x /etc/x /usr/local/bin/x /berth/x /berth/notices/x /proc/sys/kernel/core_pattern \\
    /workspace/x /outputs/x /berth/checkpoints/x /tmp/x /run/x /var/tmp/x /dev/shm/x; do
    { echo x >$path; } 2>/dev/null && echo "wrote $path"
done
echo again >kept
true
"""
"""Begins in its own folder; the engine's words about what it could not write are of no interest."""
SCRATCH: Final = {"/tmp/x", "/run/x", "/var/tmp/x", "/dev/shm/x"}


@pytest.fixture(scope="module")
def daemon() -> Iterator[Daemon]:
    """An engine that remaps, with an image that tries to write everywhere, however it is started."""
    home = Path(tempfile.mkdtemp(prefix="berth-remap-"))
    daemon = Daemon(home, is_remapping=True)
    daemon.mount()
    daemon.start()
    with daemon.client() as client:
        client.api.import_image_from_data(
            with_file(programs_root(), "usr/local/bin/jupyter-lab", TRIES.encode()),
            repository="berth/tries",
            tag="1",
        )
    yield daemon
    daemon.close()
    shutil.rmtree(home)


def _runtime(daemon: Daemon, root: Path) -> DockerRuntime:
    settings = DockerRuntimeSettings(
        node="remapped",
        storage_dir=root / "storage",
        bind_address="127.0.0.1",
        network="bridge",
        user_id=USER,
        cpu_milli_max=1000,
        is_rootfs_read_only=True,
    )
    return DockerRuntime(root / "containers", settings, DockerEngine(daemon.url))


def _said(daemon: Daemon, root: Path, kind: str, epoch: int = 1) -> set[str]:
    """Return the lines of one container that has ended well."""
    order = an_order(kind, IMAGE, kind)
    order = type(order)(ContainerKey(order.key.allocation, epoch), (), order.spec)

    async def whole() -> bytes:
        runtime = _runtime(daemon, root)
        await runtime.start(order, lambda *_: None)
        async with asyncio.timeout(PATIENCE_S):
            assert (await runtime.wait_for_end(order.key)).exit_code == 0
        text = await runtime.read_log(order.key, 0, 10_000)
        await runtime.remove(order.key)
        return text

    return set(asyncio.run(whole()).decode().splitlines())


@pytest.mark.parametrize(
    ("kind", "home", "own"),
    [
        ("environment", "workspaces", {"/workspace/x", "/berth/checkpoints/x"}),
        ("training", "outputs", {"/outputs/x", "/berth/checkpoints/x"}),
    ],
)
def test_work_writes_into_its_own_folders_only_and_as_nobody_of_the_host(
    daemon: Daemon, tmp_path: Path, kind: str, home: str, own: set[str]
) -> None:
    said = _said(daemon, tmp_path, kind)
    assert f"root is {SHIFT}" in said
    assert {line.removeprefix("wrote ") for line in said if line.startswith("wrote ")} == (
        own | SCRATCH
    )
    folder = tmp_path / "storage" / home / kind
    for path in (folder, folder / "x", folder / "kept"):
        facts = path.stat()
        assert (facts.st_uid, facts.st_gid) == (SHIFT + USER, SHIFT + USER), path


def test_home_is_the_users_after_a_restart_too(daemon: Daemon, tmp_path: Path) -> None:
    assert "kept again" not in _said(daemon, tmp_path, "environment")
    assert "kept again" in _said(daemon, tmp_path, "environment", epoch=2)


def test_device_file_of_a_group_is_refused_because_the_group_is_another_one_inside(
    daemon: Daemon, tmp_path: Path
) -> None:
    order = an_order("training", IMAGE, "with-card")
    group = 4711
    card = Mount(Path("/dev/null"), "/dev/card", is_read_only=False)
    with_card = replace(order, injection=Injection(device_files=(card,), groups=(group,)))

    async def start() -> None:
        await _runtime(daemon, tmp_path).start(with_card, lambda *_: None)

    with pytest.raises(StartError, match=f"device_not_accessible: .*{group}"):
        asyncio.run(start())
