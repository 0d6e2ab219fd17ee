"""When the launcher takes a node as there, and which nodes it starts."""

import hashlib
import json
import tomllib
from collections.abc import Sequence
from pathlib import Path

import pytest

from deploy.onebox.database import admit_nodes, parse_arguments
from deploy.onebox.nodes import has_reported_since, list_nodes
from deploy.onebox.options import parse_options
from deploy.onebox.platform import prepare_database
from portal.inventory.models import JoinToken
from tests.builders.machines import a_node, a_pool

SINCE = 1_800_000_000.0
BEFORE, AFTER = "2027-01-15T07:59:00+00:00", "2027-01-15T08:00:30+00:00"


@pytest.mark.parametrize("state", ["ready", "cordoned", "draining", "drained"])
def test_a_node_that_reports_is_there_also_when_an_operator_has_closed_it(state: str) -> None:
    assert has_reported_since({"state": state, "last_seen_at": AFTER}, SINCE)


@pytest.mark.parametrize("state", ["joining", "unready", "lost"])
def test_a_node_that_cannot_work_yet_is_waited_for(state: str) -> None:
    assert not has_reported_since({"state": state, "last_seen_at": AFTER}, SINCE)


@pytest.mark.parametrize("seen", [BEFORE, None])
def test_what_the_last_run_has_left_does_not_count(seen: str | None) -> None:
    assert not has_reported_since({"state": "ready", "last_seen_at": seen}, SINCE)


def run_database(_name: str, command: Sequence[str]) -> str:
    """Answer as the command does, without migrating and seeding."""
    given = parse_arguments(command[3:])
    return json.dumps(admit_nodes(given.joined, given.nodes))


@pytest.mark.django_db
def test_nodes_of_an_earlier_database_join_the_new_one(tmp_path: Path) -> None:
    options = parse_options(["--data-dir", str(tmp_path), "--nodes", "2"])
    a_pool("development"), a_pool("training")
    known, forgotten = list_nodes(options)
    a_node(a_pool(), name=known.name)
    for node in (known, forgotten):
        node.identity.parent.mkdir(parents=True)
        node.identity.touch()

    assert prepare_database(run_database, options, None) == [known, forgotten]

    assert (known.has_joined, forgotten.has_joined) == (True, False)
    assert 'join_token = ""' in known.config.read_text()
    token = JoinToken.objects.get(node_name=forgotten.name, pool__name=forgotten.pool)
    secret = tomllib.loads(forgotten.config.read_text())["join_token"]
    assert hashlib.sha256(secret.encode()).hexdigest() == token.digest


@pytest.mark.django_db
def test_a_retired_node_is_not_started_and_the_launcher_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = parse_options(["--data-dir", str(tmp_path), "--nodes", "3"])
    gone, works, new = list_nodes(options)
    a_pool("development"), a_pool("training")
    for node, state in ((gone, "retired"), (works, "ready")):
        a_node(a_pool(), name=node.name, state=state)
        node.identity.parent.mkdir(parents=True)
        node.identity.touch()

    assert prepare_database(run_database, options, None) == [works, new]
    assert f"{gone.name} is retired" in capsys.readouterr().out
    assert 'join_token = ""' not in new.config.read_text()
    # Its name may be given away again: without a key it is new, and gets a token like any other.
    gone.identity.unlink()
    assert gone in prepare_database(run_database, options, None)
