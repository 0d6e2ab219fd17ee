"""What only object stores have: broken connections, refusals, addresses, keys that are no paths.

What every source of a copy does is in `test_copier_contract`.
"""

import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from urllib.parse import quote

import pytest
from django.core.management import CommandError, call_command

from portal.common.errors import DomainError
from portal.common.translations import translate
from portal.volumes.object_copies import ObjectCopier
from portal.volumes.tree.copied_files import CopiedAmount
from tests.object_server import object_server, store_at
from tests.odd_servers import answering, breaking


def go_on(_: CopiedAmount) -> bool:
    return True


@pytest.fixture
def buckets(tmp_path: Path) -> Iterator[tuple[Path, str]]:
    """A bucket with a data set below a prefix, and another one."""
    top = tmp_path / "buckets"
    (top / "sets" / "faces" / "train").mkdir(parents=True)
    (top / "sets" / "faces" / "train" / "图.bin").write_bytes(os.urandom(5_000_000))
    (top / "sets" / "faces" / "labels.csv").write_text("a,b\n")
    (top / "sets" / "other.txt").write_text("not this")
    with object_server(top) as endpoint:
        yield top, endpoint


def content(top: Path) -> dict[str, bytes]:
    return {str(it.relative_to(top)): it.read_bytes() for it in top.rglob("*") if it.is_file()}


def test_a_connection_that_breaks_in_the_middle_is_continued(
    buckets: tuple[Path, str], tmp_path: Path
) -> None:
    top, endpoint = buckets
    with breaking(endpoint, after=1_500_000) as (broken, breaks):
        copier = ObjectCopier(store_at(broken), "faces", tmp_path / "copies" / "a")
        assert copier.copy(go_on, within_s=60) is not None
        copier.require_same()
    assert content(tmp_path / "copies" / "a") == content(top / "sets" / "faces")
    assert len(breaks) >= 3


def test_what_the_store_refuses_is_said(buckets: tuple[Path, str], tmp_path: Path) -> None:
    _, endpoint = buckets
    store, target = store_at(endpoint), tmp_path / "copies" / "a"
    for wrong, path, code in (
        (store, "none", "copy_of_nothing"),
        (replace(store, secret_key="wrong"), "", "store_denied"),
        (replace(store, bucket="none"), "", "store_without_bucket"),
        (replace(store, endpoint="http://127.0.0.1:9"), "", "store_failed"),
    ):
        with pytest.raises(DomainError, match=code):
            ObjectCopier(wrong, path, target).measure()


def test_the_operator_tries_the_stores(
    buckets: tuple[Path, str], set_site: Callable[..., None], capsys: pytest.CaptureFixture[str]
) -> None:
    _, endpoint = buckets
    good = store_at(endpoint)
    stores = {"lab": good, "old": replace(good, name="old", secret_key="wrong")}
    set_site(object_stores=stores)

    call_command("check_stores", "lab")
    with pytest.raises(CommandError, match="of 2 stores 1 cannot be used"):
        call_command("check_stores")
    lab, again, old = capsys.readouterr().out.splitlines()
    assert lab == again == "lab: 3 objects, 5000012 bytes"
    assert old == "old: " + translate("en", "store_denied", {"name": "old"})

    with pytest.raises(CommandError, match="no store none"):
        call_command("check_stores", "lab", "none")
    set_site(object_stores={"lab": replace(good, prefix="nothing/")})
    with pytest.raises(CommandError, match="of 1 stores"):
        call_command("check_stores")
    set_site(object_stores={})
    with pytest.raises(CommandError, match="names no store"):
        call_command("check_stores")


def test_a_trial_lists_one_page_and_reads_one_object(tmp_path: Path) -> None:
    with answering(200, listing({"a": 0})) as (store, asked):
        assert ObjectCopier(store_at(store), "", tmp_path).probe().files == 1
        assert len(asked) == 1  # an empty object has no byte
    many = {f"{number:04}": 1 for number in range(1200)}
    with answering(200, listing(many)) as (store, asked):
        found = ObjectCopier(store_at(store), "", tmp_path).probe()
    assert (found.files, found.is_whole, len(asked)) == (1000, False, 2)


def test_a_store_sends_the_portal_nowhere_else(tmp_path: Path) -> None:
    """Which machine is asked is the operator's decision alone: an answer cannot change it."""
    with answering(200, b"secret of an inner service") as (inner, reached):
        for status in (301, 302, 307, 308):
            with answering(status, b"", location=f"{inner}/sets/a") as (store, asked):
                with pytest.raises(DomainError, match="store_failed"):
                    ObjectCopier(store_at(store), "", tmp_path / "copies" / "a").measure()
                assert asked
        assert not reached


def test_a_server_of_another_kind_is_told_from_a_store(tmp_path: Path) -> None:
    for status, body in ((200, b"<html><p>Welcome"), (200, b"{}"), (404, b"none"), (418, b"")):
        with answering(status, body) as (elsewhere, _):
            with pytest.raises(DomainError) as refused:
                ObjectCopier(store_at(elsewhere), "", tmp_path / "copies" / "a").measure()
            assert refused.value.code == "store_failed", (status, body)


@pytest.mark.parametrize(
    "key", ["../up", "a//b", "/top", "a/../../b", "x" * 256, ".berth/x", "a\nb"]
)
def test_a_key_that_is_no_path_of_a_file_is_named(key: str, tmp_path: Path) -> None:
    with answering(200, listing({key: 1})) as (store, _):
        copier = ObjectCopier(store_at(store), "", tmp_path / "copies" / "a")
        with pytest.raises(DomainError, match="store_key"):
            copier.measure()


def test_a_key_that_is_a_file_and_a_folder_fails_clearly(tmp_path: Path) -> None:
    with answering(200, listing({"a": 0, "a/b": 0})) as (store, _):
        copier = ObjectCopier(store_at(store), "", tmp_path / "copies" / "a")
        with pytest.raises(DomainError, match="store_key"):
            copier.copy(go_on, within_s=60)


def listing(sizes: dict[str, int]) -> bytes:
    """Return the answer of a store that has these objects."""
    objects = "".join(
        f"<Contents><Key>{quote(key, safe='/')}</Key><Size>{size}</Size><ETag>x</ETag>"
        "<LastModified>2026-01-01T00:00:00.000Z</LastModified></Contents>"
        for key, size in sizes.items()
    )
    head = "<IsTruncated>false</IsTruncated><EncodingType>url</EncodingType>"
    return f"<ListBucketResult>{head}{objects}</ListBucketResult>".encode()
