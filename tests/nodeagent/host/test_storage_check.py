"""What the agent makes of the kernel's table of mounts when the storage goes and comes back."""

from pathlib import Path

import pytest

from nodeagent.host.storage_check import LOCAL, StorageInspection, StorageMount

STORAGE = Path("/srv/berth/storage")
ROOT = "26 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw"
NFS = "90 26 0:51 / /srv/berth rw,relatime shared:40 - nfs4 filer:/berth rw,vers=4.2"
NFS_AGAIN = NFS.replace("90 26 0:51", "97 26 0:63")
OTHER = NFS.replace("filer:/berth", "filer:/spare")
AUTO = "80 26 0:40 / /srv/berth rw,relatime shared:30 - autofs systemd-1 rw,direct"
GONE = "/srv/berth/storage lies on / (ext4, /dev/sda1) now, was on /srv/berth (nfs4, filer:/berth)"


@pytest.fixture
def table(tmp_path: Path) -> Path:
    return tmp_path / "mountinfo"


def write(table: Path, *lines: str) -> None:
    table.write_text("".join(f"{line}\n" for line in lines))


async def test_a_storage_that_is_unmounted_is_missed_until_it_is_back(table: Path) -> None:
    write(table, ROOT, NFS)
    mount = StorageMount(STORAGE, table)
    check = StorageInspection(mount, is_shared=True)
    assert (await check.inspect()).faults == ()

    write(table, ROOT)
    assert mount.describe_missing() == f"storage_gone: {GONE}"
    (fault,) = (await check.inspect()).faults
    assert (fault.code, fault.detail, fault.is_blocking) == ("storage_gone", GONE, True)

    write(table, ROOT, OTHER)
    assert "filer:/spare" in mount.describe_missing()

    write(table, ROOT, NFS_AGAIN)
    assert mount.describe_missing() == ""
    assert (await check.inspect()).faults == ()


def test_what_is_mounted_at_the_next_look_is_not_missed(table: Path) -> None:
    write(table, ROOT, AUTO)
    mount = StorageMount(STORAGE, table)
    for lines in ((ROOT, AUTO, NFS), (ROOT, AUTO), (ROOT, AUTO, NFS_AGAIN)):
        write(table, *lines)
        assert mount.describe_missing() == ""
    write(table, ROOT)
    assert mount.describe_missing() == f"storage_gone: {GONE}"


def test_a_storage_of_the_nodes_own_disk_is_never_missed(table: Path) -> None:
    write(table, ROOT)
    mount = StorageMount(STORAGE, table)
    write(table, ROOT, NFS.replace("/srv/berth", "/elsewhere"))
    assert mount.describe_missing() == ""
    table.unlink()
    assert mount.describe_missing() == ""


def test_volumes_that_are_mounted_by_themselves_are_missed_too(table: Path) -> None:
    """Such as buckets: without its mount, a home is an empty folder that work would write to."""
    own = "120 90 0:70 / /srv/berth/storage/volumes rw,relatime - fuse.s3fs bucket rw,user_id=0"
    one = "121 90 0:71 / /srv/berth/storage/volumes/7 rw,relatime - fuse.s3fs other rw,user_id=0"
    snapshot = "122 90 0:72 / /srv/berth/storage/.zfs/snapshot/a ro - zfs tank/berth@a ro"
    write(table, ROOT, NFS)
    mount = StorageMount(STORAGE, table)
    write(table, ROOT, NFS, own, one, snapshot)  # mounted after the agent had started
    assert mount.describe_missing() == ""
    write(table, ROOT, NFS, own, one)
    assert mount.describe_missing() == ""

    write(table, ROOT, NFS, one)
    assert mount.describe_missing() == (
        "storage_gone: /srv/berth/storage/volumes is not mounted now,"
        " was /srv/berth/storage/volumes (fuse.s3fs, bucket)"
    )
    write(table, ROOT, NFS, own, one.replace("other", "wrong"))
    assert "(fuse.s3fs, wrong) now, was" in mount.describe_missing()
    write(table, ROOT, own, one)
    assert mount.describe_missing() == f"storage_gone: {GONE}"
    write(table, ROOT, NFS, own, one)
    assert mount.describe_missing() == ""


async def test_files_on_this_node_only_are_told(table: Path) -> None:
    write(table, ROOT)
    check = StorageInspection(StorageMount(STORAGE, table), is_shared=False)
    assert (await check.inspect()).faults == (LOCAL,)


def test_this_hosts_own_table_is_understood(tmp_path: Path) -> None:
    assert StorageMount(tmp_path).describe_missing() == ""
