"""C5: what of the host goes into a container, when somebody plants links or swaps folders."""

import os
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from nodeagent.docker.start.user_map import UserMap, parse_user_map
from nodeagent.host.secure_paths import (
    FileIdentity,
    OpenBeneath,
    UnsafePathError,
    identify_inside,
    make_folder_beneath,
    open_by_openat2,
    resolve_beneath,
    verify_mounts,
)

SECRET: Final = "secret"


@pytest.fixture(params=["openat2", "step by step"])
def open_beneath(request: pytest.FixtureRequest) -> OpenBeneath:
    """Kernels with and without `openat2`."""
    return open_by_openat2 if request.param == "openat2" else lambda *_: None


@pytest.fixture
def root(tmp_path: Path, open_beneath: OpenBeneath) -> Path:
    """An allowed root beside a secret."""
    (tmp_path / SECRET).mkdir()
    found = tmp_path / "root"
    (found / "data" / "images").mkdir(parents=True)
    (found / "data" / "list.txt").write_text("")
    return found


def _link_to(target: str) -> Callable[[Path], None]:
    return lambda root: (root / "evil").symlink_to(target)


def _link_inside(root: Path) -> None:
    (root / "evil").symlink_to("data")


def _swapped_parent(root: Path) -> None:
    (root / "data").rename(root / "old")
    (root / "data").symlink_to(root.parent / SECRET)
    (root.parent / SECRET / "images").mkdir()


def _pipe(root: Path) -> None:
    os.mkfifo(root / "evil")


def _socket(root: Path) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(root / "evil"))


def _nothing(root: Path) -> None:
    pass


ATTACKS: Final[dict[str, tuple[Callable[[Path], None], str]]] = {
    "link_out_of_the_root": (_link_to("../secret"), "evil"),
    "absolute_link": (_link_to("/etc"), "evil"),
    "link_within_the_root": (_link_inside, "evil"),
    "link_on_the_way": (_link_inside, "evil/images"),
    "parent_swapped_for_a_link": (_swapped_parent, "data/images"),
    "magic_link": (_link_to("/proc/self/root"), "evil/etc"),
    "parent_by_dots": (_nothing, "../secret"),
    "dots_in_the_middle": (_nothing, "data/../../secret"),
    "absolute_path": (_nothing, "/etc"),
    "empty_path": (_nothing, ""),
    "nul_byte": (_nothing, "data\0"),
    "missing": (_nothing, "data/none"),
    "pipe": (_pipe, "evil"),
    "socket": (_socket, "evil"),
}


@pytest.mark.parametrize("name", ATTACKS)
def test_c5_source_is_refused(name: str, root: Path, open_beneath: OpenBeneath) -> None:
    plant, below = ATTACKS[name]
    plant(root)
    with pytest.raises(UnsafePathError):
        resolve_beneath(root, below, open_beneath)


def test_c5_source_is_known_by_device_and_inode(root: Path, open_beneath: OpenBeneath) -> None:
    for below in ("data/images", "data/list.txt"):
        facts = (root / below).stat()
        found = resolve_beneath(root, below, open_beneath)
        assert found.path == root / below
        assert found.identity == FileIdentity(facts.st_dev, facts.st_ino)


def test_c5_folder_is_never_made_behind_a_link(root: Path) -> None:
    (root / "workspaces").symlink_to(root.parent / SECRET)
    with pytest.raises(UnsafePathError):
        make_folder_beneath(root, "workspaces/w1", None)
    assert list((root.parent / SECRET).iterdir()) == []


def test_c5_owner_is_set_on_the_folder_and_not_on_what_a_link_names(
    root: Path, open_beneath: OpenBeneath
) -> None:
    owner = (os.getuid(), os.getgid())
    made = make_folder_beneath(root, "outputs/w1", owner)
    assert made.identity == resolve_beneath(root, "outputs/w1", open_beneath).identity
    assert make_folder_beneath(root, "outputs/w1", owner) == made
    (root / "outputs" / "w2").symlink_to(root.parent / SECRET)
    with pytest.raises(UnsafePathError):
        make_folder_beneath(root, "outputs/w2", owner)


def test_what_was_uploaded_before_the_first_work_passes_to_it_and_nothing_behind_a_link(
    root: Path,
) -> None:
    former, stranger, worker = (1101, 1101), (1102, 1102), (1000, 1000)
    top = root / "volumes" / "v1"
    (top / "story" / "deep").mkdir(parents=True)
    (top / "story" / "train.py").write_text("")
    (top / "story" / "link").symlink_to(root.parent / SECRET)
    for path in (root.parent / SECRET, top, *top.rglob("*")):
        os.chown(path, *former, follow_symlinks=False)
    (top / "left").write_text("")
    os.chown(top / "left", *stranger)

    make_folder_beneath(root, "volumes/v1", worker)

    owners = {path.name: path.lstat().st_uid for path in (top, *top.rglob("*"))}
    assert owners.pop("left") == stranger[0]
    assert set(owners.values()) == {worker[0]}
    assert (root.parent / SECRET).stat().st_uid == former[0]


def test_c5_swapped_after_the_look_is_found_in_the_living_container(
    root: Path, open_beneath: OpenBeneath
) -> None:
    """This process stands for a container: its root is what it sees."""
    meant = resolve_beneath(root, "data/images", open_beneath)
    target = str(root / "data" / "images")
    verify_mounts(os.getpid(), [(target, meant.identity)], open_beneath)
    assert identify_inside(os.getpid(), target, open_beneath) == meant.identity
    (root / "data" / "images").rename(root / "data" / "old")
    with pytest.raises(UnsafePathError):
        verify_mounts(os.getpid(), [(target, meant.identity)], open_beneath)
    (root / "data" / "images").mkdir()
    with pytest.raises(UnsafePathError):
        verify_mounts(os.getpid(), [(target, meant.identity)], open_beneath)


def test_container_that_has_ended_has_nothing_to_compare() -> None:
    pid = os.fork()
    if pid == 0:
        os._exit(0)
    os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
    try:
        verify_mounts(pid, [("/", FileIdentity(0, 0))])
    finally:
        os.waitpid(pid, 0)


def test_folders_belong_to_whom_the_engine_makes_of_the_user() -> None:
    plain = {"SecurityOptions": ["name=seccomp,profile=default"], "DockerRootDir": "/d/1.2"}
    assert parse_user_map(plain) == UserMap()
    shifted = {
        "SecurityOptions": ["name=seccomp,profile=default", "name=userns"],
        "DockerRootDir": "/var/lib/docker/165536.231072",
    }
    assert parse_user_map(shifted).host_owner(1000) == (166536, 232072)
    assert parse_user_map(shifted).is_remapped
    with pytest.raises(ValueError, match="without ids"):
        parse_user_map({"SecurityOptions": ["name=userns"], "DockerRootDir": "/var/lib/docker"})
