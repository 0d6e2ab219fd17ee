"""The JSON form refuses what is not a snapshot; that it is lossless is a property."""

import json

import pytest

from scheduler.core.model.entities import Millis
from scheduler.core.model.snapshot import Snapshot
from scheduler.core.model.snapshot_codec import Json, decode_snapshot, encode_snapshot
from tests.scheduler.scenario import snapshot_of


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
        decode_snapshot(form)


def test_a_dump_of_another_version_is_still_read() -> None:
    form = encode_snapshot(Snapshot(Millis(7)))
    assert isinstance(form, dict)
    del form["running"]
    form["weather"] = "fine"

    assert decode_snapshot(form) == Snapshot(Millis(7))


def test_policies_promises_and_the_past_survive() -> None:
    site = snapshot_of(
        {
            "now": 900_000,
            "pools": [
                (
                    "training: strict, spread, shortest first, patience 60, depth 3, no reclaim, "
                    "protects 30, grace 10, falls back to development"
                ),
                (
                    "development: 8 slices of 4096 MiB, lends to training, keeps 2, not by day, "
                    "from Mon-20:00 to Tue-08:00, from Sat-00:00 to Mon-08:00"
                ),
            ],
            "nodes": ["n1: 8 cards, switch east, islands of 4", "d1: 2 cards in development"],
            "quotas": [
                "lab: guarantee 1 cards, deserved 2 cards, 6 cards in training, weight high"
            ],
            "usage": ["li of lab: 3600 card-seconds"],
            "budgets": ["lab: 60 of 7200 card-seconds, in training, ends in 600 s"],
            "sharing": "half-life 3600, entry penalty 60, utc -60",
            "running": [
                (
                    "a: 2 cards on n1, preemptible, began 300 s ago, ends in 900 s, expected in 60 s, "
                    "saved 30 s ago, idle 10 s ago, had 500 card-seconds, stopping for b"
                ),
            ],
            "waiting": ["b: 1 cards, expected 60, yields to a, avoid n1", "c: held held_by_user"],
        }
    )
    default = snapshot_of({"nodes": ["n1: 8 cards"]})

    assert decode_snapshot(json.loads(json.dumps(encode_snapshot(site)))) == site
    for name in (
        "pools",
        "quotas",
        "usage",
        "budgets",
        "fair_share",
        "clock",
        "running",
        "pending",
    ):
        assert getattr(site, name) != getattr(default, name), f"the file says nothing of {name}"
