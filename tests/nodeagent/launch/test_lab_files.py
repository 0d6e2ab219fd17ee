"""What a notebook's JupyterLab is given: files that any user can read, links in the home, its owner's language."""

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from nodeagent.disk.container_dir import ContainerDir
from nodeagent.docker.containers.container_spec import LAB_DIR, DockerRuntimeSettings
from nodeagent.docker.start.mounts import resolve_mounts
from nodeagent.launch import jupyter
from nodeagent.launch.jupyter import CONFIG, EXTENSIONS, copy_lab_files
from tests.fakes.work import an_order

SOURCES = Path(jupyter.__file__).parent
SERVER_CONFIG = SOURCES / CONFIG / "jupyter_server_config.py"


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

    mounts = [each for each in found.mounts if each.target == LAB_DIR]
    assert [each.is_read_only for each in mounts] == [True] * is_there
    for each in mounts:
        copies = {item.relative_to(each.source): item for item in each.source.rglob("*")}
        sources = [
            item
            for tree in (EXTENSIONS, CONFIG)
            for item in (SOURCES / tree, *(SOURCES / tree).rglob("*"))
            if "__pycache__" not in item.parts
        ]
        assert copies.keys() == {item.relative_to(SOURCES) for item in sources}
        for item in (each.source, *copies.values()):
            wanted = 0o755 if item.is_dir() else 0o644
            assert stat.S_IMODE(item.stat().st_mode) == wanted


@pytest.mark.parametrize(
    ("env", "locale"), [({"LANGUAGE": "zh_CN"}, "zh_CN"), ({"LANGUAGE": "en"}, None), ({}, None)]
)
def test_a_reader_of_chinese_has_jupyterlab_in_chinese(
    tmp_path: Path, env: dict[str, str], locale: str | None
) -> None:
    copy = copy_lab_files(tmp_path, env)
    defaults = copy / CONFIG / "labconfig" / "default_setting_overrides.json"
    found = json.loads(defaults.read_text()) if defaults.exists() else {}
    assert found.get("@jupyterlab/translation-extension:plugin", {}).get("locale") == locale


def start_server(home: Path, **env: str) -> dict[str, str]:
    """Run the configuration as the server does; return the visible names with their links."""
    subprocess.run([sys.executable, str(SERVER_CONFIG)], env={"HOME": str(home), **env}, check=True)
    visible = [item for item in home.iterdir() if not item.name.startswith(".")]
    return {item.name: str(item.readlink()) if item.is_symlink() else "" for item in visible}


def a_folder(parent: Path, name: str) -> Path:
    folder = parent / name
    folder.mkdir(parents=True)
    return folder


def test_an_empty_home_shows_what_the_notebook_was_given_and_a_readme(tmp_path: Path) -> None:
    home, data = a_folder(tmp_path, "home"), a_folder(tmp_path, "data")
    (home / ".bashrc").touch()
    found = start_server(home, BERTH_DATA_DIR=str(data), BERTH_INPUTS_DIR=str(tmp_path / "none"))
    assert found == {"data": str(data), "README.md": ""}
    assert "# Your home" in (home / "README.md").read_text()


def test_a_reader_of_chinese_gets_a_chinese_readme(tmp_path: Path) -> None:
    home = a_folder(tmp_path, "home")
    assert start_server(home, LANGUAGE="zh_CN") == {"README.md": ""}
    assert "# 您的主目录" in (home / "README.md").read_text(encoding="utf-8")


def test_a_deleted_readme_does_not_come_back_to_a_home_in_use(tmp_path: Path) -> None:
    home, data = a_folder(tmp_path, "home"), a_folder(tmp_path, "data")
    (home / "work.ipynb").write_text("{}")
    found = start_server(home, BERTH_DATA_DIR=str(data))
    assert found == {"work.ipynb": "", "data": str(data)}


def test_own_files_and_links_of_other_notebooks_stay(tmp_path: Path) -> None:
    home, first, second = (a_folder(tmp_path, name) for name in ("home", "first", "second"))
    (home / "volumes").write_text("mine")
    start_server(home, BERTH_DATA_DIR=str(first), BERTH_NAME="one")
    both = {"BERTH_DATA_DIR": str(second), "BERTH_VOLUMES_DIR": str(first), "BERTH_NAME": "two"}
    found = start_server(home, **both)
    assert (home / "volumes").read_text() == "mine"
    assert found == {
        "volumes": "",
        "volumes-two": str(first),
        "data": str(first),
        "data-two": str(second),
    }
    assert start_server(home, **both) == found


def test_links_of_a_notebook_that_is_gone_are_replaced(tmp_path: Path) -> None:
    home, first, second = (a_folder(tmp_path, name) for name in ("home", "first", "second"))
    start_server(home, BERTH_DATA_DIR=str(first))
    first.rmdir()
    assert start_server(home, BERTH_DATA_DIR=str(second))["data"] == str(second)


def test_a_home_that_cannot_be_written_keeps_no_server_from_starting(tmp_path: Path) -> None:
    result = subprocess.run(
        [sys.executable, str(SERVER_CONFIG)],
        env={"HOME": str(tmp_path / "missing")},
        capture_output=True,
        check=False,
    )
    assert (result.returncode, result.stderr) == (0, b"")
