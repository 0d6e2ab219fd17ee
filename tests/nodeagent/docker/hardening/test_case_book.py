"""C1 to C5 and C9 of the case book, each against a real container."""

import asyncio
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import docker
import pytest

from nodeagent.core.state import Finished
from nodeagent.disk.container_dir import AppEndpoint, ContainerDir
from nodeagent.docker.containers.container_spec import create_options
from nodeagent.docker.runtime import DockerRuntime
from nodeagent.docker.start.mounts import resolve_mounts
from nodeagent.ports import ContainerOrder, StartError
from tests.nodeagent.docker.hardening import image
from tests.nodeagent.docker.hardening.conftest import Node, Seen, an_order
from wire.messages import ContainerSpec
from wire.words import ExitCause

pytestmark = pytest.mark.docker

MARK: Final = "untouched"
PLACES: Final = "/dev/null /dev/evil /dev/pts/evil ./evil ../../../../etc/evil"
WRITES: Final = ("/bin/sh", "-c", f"for path in {PLACES}; do echo evil >$path; done")
OUT_BY: Final[dict[str, tuple[dict[str, str], str]]] = {
    "workdir_by_descriptor": ({}, "/proc/self/fd/8"),
    "workdir_by_link": ({"/work": "/proc/self/fd/7"}, "/work"),
    "dev_is_a_link": ({"/dev": "/etc"}, "/"),
    "dev_null_is_a_link": ({"/dev/null": "/proc/sys/kernel/core_pattern"}, "/"),
    "dev_pts_is_a_link": ({"/dev/pts": "/proc"}, "/"),
    "outputs_is_a_link": ({"/outputs": "/etc"}, "/"),
}
"""Images of CVE-2024-21626, CVE-2025-31133, CVE-2025-52565 and CVE-2026-41579: links, work folder."""


@pytest.fixture
def marked(node: Node) -> Iterator[Path]:
    """A folder of the host that no container may change, beside the storage."""
    folder = node.root / "host"
    folder.mkdir()
    (folder / MARK).write_text(MARK)
    yield folder
    shutil.rmtree(folder)


def _run(runtime: DockerRuntime, order: ContainerOrder) -> Finished | None:
    """Return the end of a container; None when its start was refused."""

    async def whole() -> Finished | None:
        try:
            await runtime.start(order, lambda *_: None)
        except StartError:
            return None
        end = await runtime.wait_for_end(order.key)
        await runtime.remove(order.key)
        return end

    return asyncio.run(whole())


@pytest.mark.parametrize("name", OUT_BY)
def test_c2_image_that_reaches_out_is_refused_or_harmless(
    name: str, node: Node, client: docker.DockerClient, marked: Path
) -> None:
    links, workdir = OUT_BY[name]
    before = Path("/proc/sys/kernel/core_pattern").read_text()
    built = image.build_variant(client, name.replace("_", "-"), links, workdir)
    _run(node.runtime(), an_order("training", built, f"c2-{name}", command=WRITES))
    assert (marked / MARK).read_text() == MARK
    assert [path.name for path in marked.iterdir()] == [MARK]
    assert Path("/proc/sys/kernel/core_pattern").read_text() == before
    assert not list(Path("/etc").glob("evil"))


def test_c3_every_option_of_the_create_call_is_the_agent_s(node: Node) -> None:
    """Whatever a user writes into any field, the options and all that guards stay the same."""
    evil = "--privileged --pid=host -v /:/host --security-opt=seccomp=unconfined"
    spec = {
        "name": evil,
        "command": tuple(evil.split()),
        "script": evil,
        "env": {evil: evil, "HostConfig": '{"Privileged": true}'},
        "app_token": evil,
        "base_path": f"/{evil}",
    }
    endpoint = AppEndpoint("127.0.0.1", 0, f"/{evil}", evil)
    for kind, at in (("training", None), ("environment", endpoint)):
        mild = create_options(node.settings, an_order(kind, "i", "w", script=""), at, ())
        wild = create_options(node.settings, an_order(kind, "i", "w", **spec), at, ())
        assert mild.keys() == wild.keys()
        free = {"command", "environment", "labels"}
        guarded = {name: value for name, value in mild.items() if name not in free}
        assert {name: value for name, value in wild.items() if name not in free} == guarded


def test_c3_fields_that_nobody_knows_are_dropped() -> None:
    spec = an_order("training", "i", "w").spec.model_dump()
    hostile: dict[str, Any] = {"privileged": True, "mounts": ["/:/host"], "HostConfig": {}}
    assert ContainerSpec.model_validate({**spec, **hostile}).model_dump() == spec


def test_c5_folder_swapped_between_look_and_mount_ends_the_start(
    node: Node, client: docker.DockerClient, probe_image: str, marked: Path
) -> None:
    """What the engine mounted is not what was looked at: somebody was quicker."""
    order = an_order("training", probe_image, "c5-swap")
    place = ContainerDir(node.root / "containers", order.key)
    place.path.mkdir(parents=True)
    sources = resolve_mounts(node.settings, order, place, None)
    options = create_options(node.settings, order, None, sources.mounts)
    own = node.root / "storage" / "outputs" / "c5-swap"
    own.rename(own.with_name("c5-old"))
    own.symlink_to(marked)
    container = client.containers.create(
        probe_image,
        [image.PYTHON, "-c", "import signal; signal.pause()"],
        mounts=options["mounts"],
        user="1234",
    )
    try:
        container.start()
        container.reload()
        with pytest.raises(StartError) as refused:
            sources.verify(container.attrs["State"]["Pid"])
        assert refused.value.detail.startswith("mount_swapped: /outputs")
    finally:
        container.remove(force=True)
        shutil.rmtree(place.path)


def test_c5_planted_link_is_refused_before_the_engine_is_asked(node: Node, marked: Path) -> None:
    outputs = node.root / "storage" / "outputs"
    outputs.mkdir(parents=True, exist_ok=True)
    (outputs / "c5-link").symlink_to(marked)
    owner = marked.stat().st_uid
    order = an_order("training", "berth/probe:1", "c5-link")
    with pytest.raises(StartError) as refused:
        asyncio.run(node.runtime().start(order, lambda *_: None))
    assert refused.value.detail.startswith("mount_refused: outputs/c5-link")
    assert refused.value.cause is ExitCause.START_FAILED
    assert marked.stat().st_uid == owner
    (outputs / "c5-link").unlink()


def test_c5_log_is_read_through_the_engine_and_not_from_the_work_s_folder(
    node: Node, probe_image: str
) -> None:
    """A pipe or a link with the name of a log, wherever the work can write, is never opened."""
    plant = (
        "import os\nos.mkfifo('log')\nos.symlink('/etc/passwd', 'stdout')\nprint('from the engine')"
    )
    order = an_order("training", probe_image, "c5-log", command=(image.PYTHON, "-c", plant))
    runtime = node.runtime()

    async def logged() -> bytes:
        await runtime.start(order, lambda *_: None)
        await runtime.wait_for_end(order.key)
        return await runtime.read_log(order.key, 0, 4096)

    assert asyncio.run(logged()).endswith(b"from the engine\n")


def test_c9_orphans_leave_no_zombies_on_any_start_path(seen: dict[str, Seen]) -> None:
    for found in seen.values():
        assert found.report["zombies"] == 0
        assert found.inspected["HostConfig"]["Init"] is True


def test_c1_cards_come_from_the_agent_and_never_from_an_image(seen: dict[str, Seen]) -> None:
    for found in seen.values():
        lines = found.report["environment"]
        assert "NVIDIA_VISIBLE_DEVICES=void" in lines
        assert not [line for line in lines if line.startswith("LD_")]
        assert not found.inspected["HostConfig"]["DeviceRequests"]
