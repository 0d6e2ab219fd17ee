"""The JSON form refuses what is not a snapshot; that it is lossless is a property."""

import pytest

from scheduler.core.entities import Millis
from scheduler.core.snapshot import Snapshot
from scheduler.core.snapshot_json import Json, from_json, to_json


@pytest.mark.parametrize(
    "form",
    [
        None,
        [],
        {},
        {"taken_at": "noon"},
        {"taken_at": True},
        {"taken_at": 0, "pools": {}},
        {"taken_at": 0, "pools": [{"id": "p"}]},
        {"taken_at": 0, "quotas": [{"group": "g", "pool": None, "resource": "fuel"}]},
        {"taken_at": 0, "running": [{"placements": [{"node": "n", "devices": [["c", 0, 1]]}]}]},
    ],
    ids=str,
)
def test_another_shape_is_refused(form: Json) -> None:
    with pytest.raises(ValueError, match=r".+"):
        from_json(form)


def test_a_dump_of_another_version_is_still_read() -> None:
    form = to_json(Snapshot(Millis(7)))
    assert isinstance(form, dict)
    del form["running"]
    form["weather"] = "fine"

    assert from_json(form) == Snapshot(Millis(7))
