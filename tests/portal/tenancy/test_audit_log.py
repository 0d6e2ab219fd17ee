"""The audit log over REST: all of it for auditors, their groups' part for heads of groups."""

import csv
import io
import json
from datetime import timedelta
from typing import Any

import pytest

from portal.audit.services import record_event
from portal.common.clock import now
from portal.identity.models import User
from portal.tenancy.models import Group
from tests.builders.people import a_group, a_member, a_user, an_actor
from tests.rest import API, browser, json_of, pipeline, problem_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_url")]

LOG = f"{API}/audit-events"


def done(action: str, *, by: User, group: Group | None = None) -> None:
    """Write one act down."""
    record_event(
        actor=an_actor(by),
        action=action,
        object_type="thing",
        object_id=7,
        group_id=group.pk if group else None,
        params={"name": "x"},
    )


def told(user: User, **query: Any) -> list[str]:
    return [event["action"] for event in json_of(browser(user).get(LOG, query))["results"]]


def test_auditors_read_everything_newest_first() -> None:
    member = a_member(a_group())
    done("quota.change", by=member)
    done("node.drain", by=a_user())
    auditor = a_user(role="auditor")

    assert told(auditor) == ["node.drain", "quota.change"]
    [event] = json_of(browser(auditor).get(f"{LOG}?page_size=1&action=quota.change"))["results"]
    assert (event["actor_name"], event["object_id"]) == (member.username, "7")
    assert (event["params"], event["outcome"]) == ({"name": "x"}, "ok")


def test_heads_of_groups_read_what_was_done_in_them_and_below() -> None:
    top, other = a_group(), a_group()
    leaf = a_group(parent=top)
    head = a_member(top, "group_admin")
    done("in.leaf", by=head, group=leaf)
    done("in.other", by=head, group=other)
    done("in.platform", by=head)

    assert told(head) == ["in.leaf"]
    assert told(head, group=str(other.pk)) == []


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ({"actor": "olga"}, ["b"]),
        ({"object": "7", "object_type": "thing"}, ["b", "a"]),
        ({"outcome": "failed"}, []),
        ({"since": (now() + timedelta(days=1)).isoformat()}, []),
        ({"until": (now() + timedelta(days=1)).isoformat()}, ["b", "a"]),
    ],
)
def test_acts_are_found_by_what_is_known_of_them(query: dict[str, str], found: list[str]) -> None:
    done("a", by=a_user("igor"))
    done("b", by=a_user("olga"))
    assert told(a_user(role="auditor"), **query) == found


def test_nobody_else_reads_it_and_a_token_needs_the_scope() -> None:
    for user in (a_member(a_group()), a_member(a_group(), "viewer"), a_user(role="operator")):
        problem_of(browser(user).get(LOG), 403, "denied")
    auditor = a_user(role="auditor")
    problem_of(pipeline(auditor, "workload.view").get(LOG), 403, "scope_missing")
    assert pipeline(auditor, "audit.view").get(LOG).status_code == 200
    assert browser(auditor).post(LOG, {}, format="json").status_code == 405
    problem_of(browser(auditor).get(f"{LOG}?since=yesterday"), 400, "invalid_input")


def test_the_log_comes_as_a_file_with_the_same_filters_and_for_the_same_people() -> None:
    group = a_group()
    head = a_member(group, "group_admin", username="head")
    done("quota.change", by=head, group=group)
    done("node.drain", by=a_user())
    record_event(
        actor=an_actor(head),
        action="group.change",
        object_type="group",
        group_id=group.pk,
        params={"title_en": '=HYPERLINK("x")', "members": ["a", "b"]},
    )
    answer = browser(a_user(role="auditor")).get(f"{LOG}.csv")
    assert answer["Content-Type"] == "text/csv; charset=utf-8"
    assert 'filename="audit-events.csv"' in answer["Content-Disposition"]
    rows = list(csv.DictReader(io.StringIO(answer.content.decode("utf-8-sig"))))
    assert [row["action"] for row in rows] == ["group.change", "node.drain", "quota.change"]
    assert json.loads(rows[0]["params"]) == {
        "title_en": '=HYPERLINK("x")',
        "members": ["a", "b"],
    }
    assert not any(cell.startswith(("=", "+", "@")) for row in rows for cell in row.values())

    own = browser(head).get(f"{LOG}.csv", {"action": "quota.change"}).content.decode("utf-8-sig")
    [row] = csv.DictReader(io.StringIO(own))
    assert (row["actor_name"], row["group_id"]) == ("head", str(group.pk))
    problem_of(browser(a_member(group)).get(f"{LOG}.csv"), 403, "denied")
    problem_of(browser(head).get(f"{LOG}.csv?colour=red"), 400, "invalid_input")
