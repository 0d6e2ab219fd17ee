"""The platform's extension of JupyterLab lies where a container of any user can read it, and not write."""

import os
import stat
from pathlib import Path

import pytest

from nodeagent.disk.container_dir import ContainerDir
from nodeagent.docker.containers.container_spec import LAB_EXTENSIONS_DIR, DockerRuntimeSettings
from nodeagent.docker.start.mounts import resolve_mounts
from nodeagent.launch.jupyter import LAB_EXTENSIONS
from tests.fakes.work import an_order


@pytest.mark.parametrize(("kind", "is_there"), [("environment", True), ("training", False)])
def test_notebooks_get_a_readable_copy_and_jobs_none(
    tmp_path: Path, kind: str, is_there: bool
) -> None:
    order = an_order((), kind=kind)
    settings = DockerRuntimeSettings("n", tmp_path / "storage", "127.0.0.1", "bridge", 1000, 1000)
    settings.storage_dir.mkdir()
    place = ContainerDir(tmp_path / "containers", order.key)
    os.close(place.create(()))
    before = os.umask(0o077)
    try:
        found = resolve_mounts(settings, order, place, None)
    finally:
        os.umask(before)

    mounts = [each for each in found.mounts if each.target == LAB_EXTENSIONS_DIR]
    assert [each.is_read_only for each in mounts] == [True] * is_there
    for each in mounts:
        copies = {item.relative_to(each.source): item for item in each.source.rglob("*")}
        assert copies.keys() == {
            item.relative_to(LAB_EXTENSIONS) for item in LAB_EXTENSIONS.rglob("*")
        }
        for item in (each.source, *copies.values()):
            wanted = 0o755 if item.is_dir() else 0o644
            assert stat.S_IMODE(item.stat().st_mode) == wanted
