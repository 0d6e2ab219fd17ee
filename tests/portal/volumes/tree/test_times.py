"""Files from long ago and far ahead: listed, archived and put into the trash like all others."""

import io
import os
import tarfile
import zipfile
from datetime import UTC, datetime
from pathlib import Path

import pytest

from portal.volumes.tree.archive import ArchiveKind, stream_archive
from portal.volumes.tree.listing import SortKey, list_folder
from portal.volumes.tree.times import EPOCH_S_MAX, to_epoch_s, to_moment

OLD_S, LATE_S = -315_619_200, 2**32 + 3600
"""1960, and an hour after what 32 bits can say."""


@pytest.fixture
def top(tmp_path: Path) -> Path:
    for name, seconds in (("old", OLD_S), ("new", 1_800_000_000), ("late", LATE_S)):
        (tmp_path / name).write_text(name)
        os.utime(tmp_path / name, (seconds, seconds))
    return tmp_path


@pytest.mark.parametrize("seconds", [-(2**63), -1e12, 0, 253_402_300_800, 2**62, 1e300])
def test_every_time_is_one_that_can_be_shown_and_sent(seconds: float) -> None:
    shown = to_moment(seconds)
    assert datetime(1, 1, 1, tzinfo=UTC) < shown < datetime(9999, 12, 31, tzinfo=UTC)
    assert 0 <= to_epoch_s(seconds) <= EPOCH_S_MAX


def test_a_list_has_their_times_as_they_are(top: Path) -> None:
    page = list_folder(top, (), sort=SortKey.MODIFIED, is_descending=False, offset=0, limit=9)
    assert [(entry.name, entry.modified_at.year) for entry in page.entries] == [
        ("old", 1960),
        ("new", 2027),
        ("late", 2106),
    ]


def test_archives_have_them_within_what_their_format_can_say(top: Path) -> None:
    packed = b"".join(stream_archive(top, (), ArchiveKind.TAR))
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        times = {Path(member.name).name: member.mtime for member in archive if member.isfile()}
    assert times == {"old": 0, "new": 1_800_000_000, "late": EPOCH_S_MAX}
    packed = b"".join(stream_archive(top, (), ArchiveKind.ZIP))
    with zipfile.ZipFile(io.BytesIO(packed)) as zipped:
        years = {Path(info.filename).name: info.date_time[0] for info in zipped.infolist()}
    assert {name: years[name] for name in ("old", "new", "late")} == {
        "old": 1980,
        "new": 2027,
        "late": 2106,
    }
