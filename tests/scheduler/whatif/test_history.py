"""`replay history`: the platform's own past, under its policy or a changed one."""

import json
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest

from scheduler.core.model.entities import Millis, PoolId
from scheduler.core.model.snapshot_codec import encode_snapshot, encode_value
from scheduler.whatif.__main__ import main
from scheduler.whatif.change import apply_change, read_change
from scheduler.whatif.past import PastWorkload, read_past
from tests.scheduler.scenario import snapshot_of

SITE = snapshot_of(
    {
        "pools": ["training: strict"],
        "nodes": ["n1: 4 cards"],
        "groups": ["lab", "vision: in lab"],
        "quotas": ["vision: 9 cards in training"],
        "waiting": [
            "first: 3 cards, of vision",
            "big: 4 cards, of vision",
            "small: 1 cards, limit 60, of vision",
            "never: 9 cards, of vision",
        ],
    }
)
RAN_S = {"first": 600, "big": 100, "small": 60, "never": 5}


@pytest.fixture
def dump(tmp_path: Path) -> Path:
    site = replace(SITE, pending=())
    past = [
        PastWorkload(replace(work, submitted_at=Millis(at * 1000)), RAN_S[work.id], Millis(900_000))
        for at, work in enumerate(SITE.pending)
    ]
    rows = [
        {"format": "berth-history-3", "site": encode_snapshot(site)},
        *(encode_value(item) for item in past),
    ]
    path = tmp_path / "history.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def figures(arguments: list[str], out: Path) -> dict[str, dict[str, float]]:
    assert main(["replay", "history", *arguments, "--json", str(out)]) == 0
    read: dict[str, dict[str, float]] = json.loads(out.read_text(encoding="utf-8"))
    return read


def test_the_past_is_played_beside_what_was(dump: Path, tmp_path: Path) -> None:
    told = figures([str(dump)], tmp_path / "out.json")

    assert told["was"]["mean_wait_s"] == pytest.approx(900 - 1.5)
    assert told["would"]["jobs"] == 3
    assert told["would"]["never_start"] == 1
    assert told["would"]["longest_wait_s"] == 600 + 100 - 2


def test_a_changed_policy_changes_what_would_have_been(dump: Path, tmp_path: Path) -> None:
    policy = tmp_path / "policy.toml"
    policy.write_text('[pools.training]\nqueue = "best_effort"\n', encoding="utf-8")

    told = figures([str(dump), "--policy", str(policy)], tmp_path / "out.json")

    assert told["would"]["longest_wait_s"] == 600 - 1
    assert told["would"]["mean_wait_s"] == pytest.approx(599 / 3)


def test_a_changed_quota_is_one_row_and_the_rest_stays(dump: Path, tmp_path: Path) -> None:
    row = '[[quotas]]\ngroup = "vision"\npool = "training"\nresource = "gpu"\nceiling = 3000\n'
    policy = tmp_path / "policy.toml"
    policy.write_text(row, encoding="utf-8")
    site, _ = read_past(dump.read_text(encoding="utf-8").splitlines())

    told = figures([str(dump), "--policy", str(policy)], tmp_path / "out.json")

    after = apply_change(site, read_change(tomllib.loads(row)))
    assert [row.ceiling for row in after.quotas if row.pool == "training"] == [3000]
    assert after.pools == site.pools
    assert told["would"]["never_start"] == 2


def test_more_servers_are_copies_of_one_that_is_there(dump: Path, tmp_path: Path) -> None:
    policy = tmp_path / "policy.toml"
    policy.write_text('[[nodes]]\nlike = "n1"\ncount = 2\n', encoding="utf-8")

    told = figures([str(dump), "--policy", str(policy)], tmp_path / "out.json")

    assert told["would"]["longest_wait_s"] == 0
    assert told["would"]["never_start"] == 1


def test_pools_are_named_as_people_name_them(dump: Path) -> None:
    site, _ = read_past(dump.read_text(encoding="utf-8").splitlines())
    pool = site.pools[0]
    named = replace(site, pools=(replace(pool, id=PoolId("7"), name="training"),))

    after = apply_change(
        named, read_change({"pools": {"training": {"lending": {"to_pools": ["training"]}}}})
    )

    assert after.pools[0].policy.lending.to_pools == {"7"}


def test_a_ceiling_can_be_taken_away(dump: Path) -> None:
    site, _ = read_past(dump.read_text(encoding="utf-8").splitlines())
    row = {"group": "vision", "pool": "training", "resource": "gpu", "unlimited": True}

    assert [row.ceiling for row in apply_change(site, read_change({"quotas": [row]})).quotas] == [
        None
    ]


@pytest.mark.parametrize(
    ("policy", "said"),
    [
        ("[pools.nowhere]\nturn_s = 1\n", "no pool nowhere"),
        ("[pools.training]\nturns = 1\n", "turns is not known"),
        ("[pools.training]\npatience_s = -1\n", "must not be negative"),
        ('[[quotas]]\ngroup = "nobody"\nresource = "gpu"\n', "no group 'nobody'"),
        ('[[quotas]]\ngroup = "vision"\nresource = "time"\n', "time"),
        ("[users]\n", "users is not known"),
        ('[pools.training]\nfall_back = ["no"]\n', "there is no pool no"),
        ('[[nodes]]\nlike = "n9"\n', "no node n9"),
        ('[[nodes]]\nlike = "n1"\ncount = 0\n', "count must be from 1"),
        (
            '[[quotas]]\ngroup = "vision"\nresource = "gpu"\nceiling = 1\nunlimited = true\n',
            "a ceiling or is unlimited",
        ),
        (
            '[[quotas]]\ngroup = "vision"\nresource = "gpu"\nguarantee = 1\n',
            "guarantee is above",
        ),
        ("not toml", "="),
    ],
)
def test_a_policy_that_makes_no_sense_is_refused_in_words(
    policy: str, said: str, dump: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "policy.toml"
    path.write_text(policy, encoding="utf-8")

    assert main(["replay", "history", str(dump), "--policy", str(path)]) == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "there is no history"),
        ("{}\n", "line 1"),
        ('{"format": "berth-history-3"}\n', "line 1"),
        ("nonsense\n", "line 1"),
        ('{"format": "berth-history-3", "site": {"taken_at": 0}}\n{"ran_s": 1}\n', "line 2"),
    ],
)
def test_a_file_that_is_no_history_is_refused_in_words(
    content: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "history.jsonl"
    path.write_text(content, encoding="utf-8")

    assert main(["replay", "history", str(path)]) == 2
    assert said in capsys.readouterr().err
