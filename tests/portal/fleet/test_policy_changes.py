"""The history of a pool's policy, and taking changes back."""

from datetime import timedelta
from threading import Thread
from typing import Any

import pytest
from django.db import connection

from portal.audit.models import AuditEvent
from portal.common.clock import freeze, now, to_millis
from portal.common.ids import new_id
from portal.identity.models import User
from portal.inventory import services
from portal.inventory.models import PolicyChange, Pool
from portal.inventory.policy import rules_of, with_defaults, with_rules
from tests.builders.machines import a_pool
from tests.builders.people import a_group, a_member, a_user, an_actor
from tests.rest import API, browser, json_of, pipeline, problem_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_url")]


@pytest.fixture
def admin() -> User:
    return a_user(role="platform_admin")


@pytest.fixture
def pool() -> Pool:
    return a_pool("one")


def put(user: User, pool: Pool, rules: dict[str, Any], **more: object) -> Any:
    """Save the defaults with these rules, by their pointers."""
    body = with_rules({}, rules) | more
    return browser(user).put(f"{API}/pools/{pool.pk}/policy", body, format="json")


def history(user: User, pool: Pool, query: str = "") -> Any:
    return json_of(browser(user).get(f"{API}/pools/{pool.pk}/policy-changes{query}"))["results"]


def undo(user: User, pool: Pool, change_id: object, **body: object) -> Any:
    path = f"{API}/pools/{pool.pk}/policy-changes/{change_id}/undo"
    return browser(user).post(path, body, format="json")


def present(pool: Pool) -> dict[str, Any]:
    """Return the rules that differ from the defaults."""
    pool.refresh_from_db()
    return {pointer: value for pointer, value in rules_of(pool.policy).items() if value is not None}


def rule(pointer: str, before: object, after: object) -> dict[str, object]:
    return {"pointer": pointer, "before": before, "after": after}


def test_a_change_is_kept_rule_by_rule_with_who_when_and_why(pool: Pool, admin: User) -> None:
    windows = [{"start": 60, "end": 120}]
    json_of(put(admin, pool, {"/grace_s": 30, "/lending/bound_s": 90}, reason=" Too long "))
    json_of(put(admin, pool, {"/queue": "strict", "/grace_s": 45, "/lending/windows": windows}))
    json_of(put(admin, pool, {}))

    defaults, second, first = history(admin, pool)

    assert first["rules"] == [rule("/grace_s", None, 30), rule("/lending/bound_s", None, 90)]
    assert (first["reason"], first["actor"]["username"]) == ("Too long", admin.username)
    assert (first["undoes"], first["undone_by"], first["at"] < second["at"]) == (None, None, True)
    assert second["rules"] == [
        rule("/queue", None, "strict"),
        rule("/grace_s", 30, 45),
        rule("/lending/windows", None, windows),
        rule("/lending/bound_s", 90, None),
    ]
    assert [(each["before"], each["after"]) for each in defaults["rules"]] == [
        ("strict", None),
        (45, None),
        (windows, None),
    ]
    reasons = AuditEvent.objects.filter(action="pool.policy").order_by("id")
    assert [event.params.get("reason") for event in reasons] == ["Too long", None, None]


def test_what_changes_nothing_is_no_change_and_what_is_refused_leaves_none(
    pool: Pool, admin: User
) -> None:
    json_of(put(admin, pool, {"/grace_s": 30}))
    json_of(put(admin, pool, {"/grace_s": 30}, reason="Again"))
    problem_of(put(admin, pool, {"/lending/bound_s": 5}), 422, "bound_below_grace")
    problem_of(put(admin, pool, {}, reason="x" * 301), 400, "invalid_input")

    assert len(history(admin, pool)) == 1
    assert AuditEvent.objects.filter(action="pool.policy").count() == 1


def test_the_history_is_the_pools_own_page_by_page(pool: Pool, admin: User) -> None:
    for grace_s in (10, 20, 30):
        json_of(put(admin, pool, {"/grace_s": grace_s}))
    json_of(put(admin, a_pool("two"), {"/grace_s": 40}))
    path = f"{API}/pools/{pool.pk}/policy-changes"

    page = json_of(browser(admin).get(f"{path}?page_size=2"))
    rest = json_of(browser(admin).get(page["next"]))

    shown = [each["rules"][0]["after"] for each in (*page["results"], *rest["results"])]
    assert shown == [30, 20, 10]
    problem_of(browser(admin).get(f"{path}?pool=two"), 400, "invalid_input")
    problem_of(browser(admin).get(f"{API}/pools/{new_id()}/policy-changes"), 404, "not_found")


def test_a_policy_that_another_has_changed_since_is_not_replaced(pool: Pool, admin: User) -> None:
    other = a_user("li.wei", role="platform_admin")
    path = f"{API}/pools/{pool.pk}/policy"
    seen = json_of(browser(admin).get(path))["version"]
    theirs = json_of(put(other, pool, {"/grace_s": 30}, version=seen))

    with freeze(now() + timedelta(hours=1)):
        problem = problem_of(
            put(admin, pool, {"/queue": "strict"}, version=seen), 409, "changed_by_another"
        )

    [change] = PolicyChange.objects.all()
    assert present(pool) == {"/grace_s": 30}
    assert problem["params"]["who"] == "li.wei"
    assert abs(problem["params"]["changed_at"] - to_millis(change.created_at)) < 5000
    assert f"changed by li.wei at {change.created_at:%Y-%m-%d %H:%M} UTC" in problem["detail"]
    body = with_rules({}, {"/queue": "strict"}) | {"version": seen}
    said = browser(admin).put(path, body, format="json", HTTP_ACCEPT_LANGUAGE="zh-CN")
    assert "li.wei 已于 " in problem_of(said, 409, "changed_by_another")["detail"]
    assert json_of(put(admin, pool, {"/grace_s": 30}, version=seen)) == theirs
    json_of(put(admin, pool, {"/queue": "strict"}, version=theirs["version"]))
    assert present(pool) == {"/queue": "strict"}


def test_undo_puts_back_only_what_the_change_changed(pool: Pool, admin: User) -> None:
    json_of(put(admin, pool, {"/grace_s": 30}))
    json_of(put(admin, pool, {"/queue": "strict", "/grace_s": 45}))
    second = history(admin, pool)[0]
    json_of(put(admin, pool, {"/queue": "strict", "/grace_s": 45, "/lending/keep_gpus": 2}))

    undone = json_of(undo(admin, pool, second["id"], reason="A mistake"), 201)

    assert present(pool) == {"/grace_s": 30, "/lending/keep_gpus": 2}
    assert undone["rules"] == [rule("/queue", "strict", None), rule("/grace_s", 45, 30)]
    newest, _, before, _ = history(admin, pool)
    assert newest == undone
    assert (undone["undoes"], undone["reason"]) == (second["id"], "A mistake")
    assert before["undone_by"] == undone["id"]
    event = AuditEvent.objects.filter(action="pool.policy").latest("id")
    assert (event.params["reason"], event.params["after"]["grace_s"]) == ("A mistake", 30)


def test_an_undo_can_be_taken_back_in_turn(pool: Pool, admin: User) -> None:
    json_of(put(admin, pool, {"/grace_s": 30, "/lending/bound_s": 90}))
    [first] = history(admin, pool)
    undone = json_of(undo(admin, pool, first["id"]), 201)
    assert present(pool) == {}

    json_of(undo(admin, pool, undone["id"]), 201)

    assert present(pool) == {"/grace_s": 30, "/lending/bound_s": 90}
    problem_of(undo(admin, pool, undone["id"]), 409, "policy_changed_again")


def test_undo_is_refused_whole_when_a_rule_was_changed_again(pool: Pool, admin: User) -> None:
    json_of(put(admin, pool, {"/grace_s": 30, "/queue": "strict"}))
    [first] = history(admin, pool)
    json_of(put(admin, pool, {"/grace_s": 31, "/queue": "strict"}))

    problem = problem_of(undo(admin, pool, first["id"]), 409, "policy_changed_again")

    assert (problem["params"]["rules"], problem["detail"][:2]) == (1, "1 ")
    assert (problem["params"]["who"], admin.username in problem["detail"]) == (admin.username, True)
    assert present(pool) == {"/grace_s": 31, "/queue": "strict"}
    path = f"{API}/pools/{pool.pk}/policy-changes/{first['id']}/undo"
    said = browser(admin).post(path, {}, format="json", HTTP_ACCEPT_LANGUAGE="zh-CN")
    assert "1 项规则" in problem_of(said, 409, "policy_changed_again")["detail"]


def test_undo_is_refused_when_the_rules_would_contradict_others(pool: Pool, admin: User) -> None:
    json_of(put(admin, pool, {"/lending/bound_s": 3600}))
    [first] = history(admin, pool)
    json_of(put(admin, pool, {"/lending/bound_s": 3600, "/grace_s": 1800}))

    problem = problem_of(undo(admin, pool, first["id"]), 422, "bound_below_grace")

    assert [fault["pointer"] for fault in problem["errors"]] == ["/lending/bound_s"]
    assert len(history(admin, pool)) == 2


def test_undo_is_refused_for_a_rule_that_there_no_longer_is(pool: Pool, admin: User) -> None:
    gone = PolicyChange.objects.create(pool=pool, rules=[rule("/patience", 5, None)])
    problem_of(undo(admin, pool, gone.pk), 409, "policy_changed_again")
    assert present(pool) == {}


def test_a_change_is_of_its_pool(pool: Pool, admin: User) -> None:
    json_of(put(admin, pool, {"/grace_s": 30}))
    [first] = history(admin, pool)
    problem_of(undo(admin, a_pool("two"), first["id"]), 404, "not_found")
    problem_of(undo(admin, pool, new_id()), 404, "not_found")
    problem_of(undo(admin, pool, first["id"], reason="x" * 301), 400, "invalid_input")
    assert present(pool) == {"/grace_s": 30}


@pytest.mark.parametrize(
    ("role", "status"), [("", 403), ("auditor", 403), ("operator", 201), ("platform_admin", 201)]
)
def test_who_reads_the_rules_reads_their_history_and_who_sets_them_takes_back(
    pool: Pool, admin: User, role: str, status: int
) -> None:
    json_of(put(admin, pool, {"/grace_s": 30}))
    user = a_user(role=role) if role else a_member(a_group(), "group_admin")

    [first] = history(user, pool)

    assert undo(user, pool, first["id"]).status_code == status
    assert present(pool) == ({} if status == 201 else {"/grace_s": 30})


def test_a_token_needs_the_scope(pool: Pool, admin: User) -> None:
    json_of(put(admin, pool, {"/grace_s": 30}))
    path = f"{API}/pools/{pool.pk}/policy-changes"
    [first] = json_of(pipeline(admin, "pool.view").get(path))["results"]
    refused = pipeline(admin, "pool.view").post(f"{path}/{first['id']}/undo", {}, format="json")
    assert refused.status_code == 403
    problem_of(pipeline(admin, "node.view").get(path), 403, refused.json()["code"])


def test_a_removed_user_stays_by_name_in_the_history(pool: Pool, admin: User) -> None:
    operator = a_user(role="operator")
    actor = an_actor(operator)
    rules = with_defaults({}) | {"grace_s": 30}
    services.set_policy(actor=actor, pool_id=pool.pk, policy=rules, reason="Short")
    operator.delete()

    [change] = history(admin, pool)

    assert (change["actor"], change["actor_name"]) == (None, actor.name)


@pytest.mark.django_db(transaction=True)
def test_of_two_who_undo_at_once_one_is_told(pool: Pool, admin: User) -> None:
    json_of(put(admin, pool, {"/grace_s": 30}))
    [first] = history(admin, pool)
    answers: list[int] = []

    def run() -> None:
        answers.append(undo(admin, pool, first["id"]).status_code)
        connection.close()

    threads = [Thread(target=run) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(answers) == [201, 409]
    assert PolicyChange.objects.count() == 2


@pytest.mark.django_db(transaction=True)
def test_of_two_who_save_at_once_each_change_says_what_it_replaced(pool: Pool, admin: User) -> None:
    def run(grace_s: int) -> None:
        put(admin, pool, {"/grace_s": grace_s})
        connection.close()

    threads = [Thread(target=run, args=(grace_s,)) for grace_s in (30, 45)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    (later,), (earlier,) = (change["rules"] for change in history(admin, pool))
    assert earlier["before"] is None
    assert later["before"] == earlier["after"]
    assert present(pool) == {"/grace_s": later["after"]}
