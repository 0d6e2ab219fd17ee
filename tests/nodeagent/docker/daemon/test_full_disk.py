"""Full disks: what a node says, and what it clears away (F29)."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from nodeagent.docker.images.image_store import ImageStoreSettings
from nodeagent.host.disk_space import DiskLimits, DiskSpaceInspection
from nodeagent.ports import StartError
from tests.fakes import work
from tests.fakes.work import an_order, ignore_progress
from tests.nodeagent.docker.daemon.conftest import FaultyNode, cause_and_code
from tests.nodeagent.docker.daemon.images import packed
from tests.nodeagent.docker.daemon.registry import Registry, Repository, random_image
from tests.tiny_image import IMAGE, programs_root
from wire.words import ExitCause

pytestmark = pytest.mark.docker

MIB = 1024 * 1024


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Path]:
    """A file system of 8 MiB and 64 inodes."""
    folder = tmp_path / "small"
    folder.mkdir()
    options = "size=8m,nr_inodes=64"
    subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", folder], check=True)
    yield folder
    subprocess.run(["umount", "--lazy", folder], check=True)


async def codes(*folders: Path) -> list[str]:
    check = DiskSpaceInspection({str(i): folder for i, folder in enumerate(folders)}, DiskLimits())
    return [fault.code for fault in (await check.inspect()).faults]


async def test_f29_full_disk_is_a_fault_until_there_is_room_again(small: Path) -> None:
    assert await codes(small) == []
    (small / "big").write_bytes(b"\0" * (8 * MIB - 4096))
    assert await codes(small) == ["disk_full"]
    (small / "big").unlink()
    assert await codes(small) == []


async def test_f29_lack_of_inodes_is_a_fault_of_its_own(small: Path) -> None:
    for number in range(62):
        (small / str(number)).touch()
    assert await codes(small) == ["inodes_full"]


async def test_f29_folder_that_cannot_be_seen_is_a_fault(tmp_path: Path) -> None:
    assert await codes(tmp_path / "gone") == ["disk_failed"]


async def test_size_and_room_are_those_of_the_first_folder(small: Path, tmp_path: Path) -> None:
    found = await DiskSpaceInspection({"first": small, "second": tmp_path}, DiskLimits()).inspect()
    assert (found.disk_mib, found.disk_free_mib) == (8, 8)


async def test_f29_pull_onto_a_full_disk_is_the_nodes_fault(
    node: FaultyNode, registry: Registry
) -> None:
    filler = node.daemon.data / "filler"
    runtime = node.runtime()
    image = registry.serve("big", random_image(4 * MIB))
    room = os.statvfs(node.daemon.data)
    with filler.open("wb") as file:
        os.posix_fallocate(file.fileno(), 0, room.f_bavail * room.f_frsize - 2 * MIB)
    try:
        faults = (await runtime.images.inspect()).faults
        with pytest.raises(StartError) as caught:
            await runtime.start(an_order(work.SLEEPS, image=image), ignore_progress)
    finally:
        filler.unlink()
    assert [fault.code for fault in faults] == ["disk_full"]
    assert cause_and_code(caught.value) == (ExitCause.NODE_FAULT, "disk_full")
    assert (await runtime.images.inspect()).faults == ()


async def test_f29_pressure_removes_what_nobody_uses_and_nothing_else(
    node: FaultyNode, registry: Registry
) -> None:
    names = ("old", "young", "wanted", "running")
    images = {name: registry.serve(f"clean-{name}", random_image()) for name in names}
    images["running"] = registry.serve("clean-programs", Repository(packed(programs_root())))
    always = ImageStoreSettings(clean_above_pct=0, clean_below_pct=0)
    runtime = node.runtime(images=always)
    for name in names:
        await runtime.images.ensure(images[name], lambda _: None)
    runtime.prefetch_images((images["wanted"],), ())
    await runtime.start(an_order(work.SLEEPS, image=images["running"]), ignore_progress)

    await node.runtime(images=ImageStoreSettings(clean_above_pct=101)).images.clean()
    await runtime.images.clean()
    with node.daemon.client() as client:
        left = {tag for image in client.images.list() for tag in image.tags}
    assert left >= {images["wanted"], images["running"], IMAGE}
    assert not left & {images["old"], images["young"]}
