"""Changes of many quotas: preview, save, history, undo, and files."""

from threading import Thread
from typing import Any

import pytest
from django.db import connection

from portal.audit.models import AuditEvent
from portal.common.ids import new_id
from portal.identity.models import User
from portal.quotas.models import Quota, QuotaChange
from portal.tenancy.models import Group, Membership
from tests.builders.people import a_group, a_member, a_user
from tests.builders.scenes import Scene, a_quota, a_scene, assert_sound
from tests.rest import API, browser, json_of, problem_of

CHANGES = f"{API}/quota-changes"

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_url")]


@pytest.fixture
def scene() -> Scene:
    return a_scene()


@pytest.fixture
def admin() -> User:
    return a_user(role="platform_admin")


def limits(quota: Quota, **other: object) -> dict[str, object]:
    names = ("guarantee", "deserved", "ceiling", "user_ceiling", "weight")
    return {name: getattr(quota, name) for name in names} | other


def edit(quota: Quota, **other: object) -> dict[str, object]:
    """Return the edit that sets these limits of a quota."""
    return {
        "group": str(quota.group_id),
        "pool": quota.pool_id and str(quota.pool_id),
        "resource": quota.resource,
        "model": quota.model,
        "before": limits(quota),
        "after": limits(quota, **other),
    }


def new(group: Group, **chosen: object) -> dict[str, object]:
    empty = {"guarantee": 0, "deserved": 0, "ceiling": None, "user_ceiling": None}
    after = {**empty, "weight": "medium", **chosen}
    return {"group": str(group.pk), "resource": "gpu", "before": None, "after": after}


def post(user: User, path: str, **body: object) -> Any:
    return browser(user).post(f"{CHANGES}{path}", body, format="json")


def preview(user: User, *edits: object, **more: object) -> Any:
    return json_of(post(user, "/preview", changes=edits, **more))


def save(user: User, *edits: object, **more: object) -> Any:
    return json_of(post(user, "", changes=edits, **more), 201)


def pointers(problem: Any) -> list[tuple[str, str]]:
    return [(each["pointer"], each["code"]) for each in problem["errors"]]


def test_many_rows_are_saved_together_with_a_reason(scene: Scene, admin: User) -> None:
    gpu, cpu = a_quota(scene.group, ceiling=6000), a_quota(scene.group, "cpu", ceiling=9000)
    scene.place(scene.work(gpus=2), scene.placement(cards=(0, 1)))
    other = a_group()

    made = save(
        admin,
        edit(gpu, ceiling=8000, deserved=2000),
        edit(cpu, ceiling=None),
        new(scene.group, ceiling=9000) | {"pool": str(scene.pool.pk)},
        new(other, ceiling=1000),
        reason="New nodes",
    )

    gpu.refresh_from_db()
    cpu.refresh_from_db()
    assert (gpu.ceiling, gpu.deserved, cpu.ceiling) == (8000, 2000, None)
    added = Quota.objects.get(group=scene.group, pool=scene.pool)
    assert (added.ceiling, added.used) == (9000, 2000)
    assert_sound()
    assert (made["reason"], made["actor"]["username"]) == ("New nodes", admin.username)
    assert len(made["items"]) == 4
    events = AuditEvent.objects.filter(action__startswith="quota.").order_by("id")
    assert [(event.action, event.params["reason"]) for event in events] == [
        ("quota.change", "New nodes"),
        ("quota.change", "New nodes"),
        ("quota.add", "New nodes"),
        ("quota.add", "New nodes"),
    ]
    assert events[0].params["before"] == {"deserved": 0, "ceiling": 6000}


def test_a_change_of_others_meanwhile_saves_nothing_and_names_the_row(
    scene: Scene, admin: User
) -> None:
    gpu, cpu = a_quota(scene.group, ceiling=6000), a_quota(scene.group, "cpu", ceiling=9000)
    mine = [edit(cpu, ceiling=1000), edit(gpu, ceiling=1000)]
    save(admin, edit(gpu, ceiling=7000))

    for path in ("", "/preview"):
        problem = problem_of(post(admin, path, changes=mine), 409, "quotas_changed")
        assert pointers(problem) == [("/changes/1", "quota_changed")]

    cpu.refresh_from_db()
    assert cpu.ceiling == 9000
    gone = edit(cpu, ceiling=1)
    browser(admin).delete(f"{API}/quotas/{cpu.pk}")
    problem_of(post(admin, "", changes=[gone]), 409, "quotas_changed")
    taken = new(scene.group, ceiling=1)
    problem_of(post(admin, "", changes=[taken]), 409, "quotas_changed")


def test_every_fault_stands_at_its_cell(scene: Scene, admin: User) -> None:
    gpu = a_quota(scene.group, ceiling=6000)
    wrong = [
        edit(gpu, guarantee=2000, deserved=1000),
        edit(gpu, deserved=9000),
        new(scene.group, deserved=1) | {"model": "A100"},
        new(scene.group) | {"resource": "cpu", "model": "A100"},
    ]

    for path in ("", "/preview"):
        problem = problem_of(post(admin, path, changes=wrong), 422, "quota_change_invalid")
        assert pointers(problem) == [
            ("/changes/0/after/deserved", "quota_order"),
            ("/changes/1", "said_twice"),
            ("/changes/1/after/ceiling", "quota_order"),
            ("/changes/2/after/deserved", "quota_of_model_promises_nothing"),
            ("/changes/3/resource", "quota_of_model_counts_gpus"),
        ]
    unknown = edit(gpu, ceiling=1) | {"group": str(new_id()), "pool": str(new_id())}
    problem = problem_of(post(admin, "", changes=[unknown]), 422, "quota_change_invalid")
    assert [code for _, code in pointers(problem)] == ["unknown_group", "unknown_pool"]
    problem_of(post(admin, "", changes=[]), 422, "quota_change_empty")
    problem_of(post(admin, ""), 400, "invalid_input")
    problem_of(post(admin, "/preview"), 400, "invalid_input")
    problem_of(post(admin, "", changes=[edit(gpu)]), 422, "quota_change_empty")
    problem_of(post(admin, "", changes=[edit(gpu)] * 301), 400, "invalid_input")
    gpu.refresh_from_db()
    assert gpu.ceiling == 6000


def test_the_preview_is_the_engines_and_saves_nothing(scene: Scene, admin: User) -> None:
    quota = a_quota(scene.group, ceiling=1000)
    scene.place(scene.work(gpus=1), scene.placement(cards=(0,)))
    waits = scene.work(gpus=2, name="waits")
    quota.refresh_from_db()

    more = preview(admin, edit(quota, ceiling=4000, deserved=3000))
    less = preview(admin, edit(quota, ceiling=0))
    much = preview(admin, edit(quota, ceiling=None, deserved=20_000))

    assert [work["id"] for work in more["starts"]["works"]] == [str(waits.pk)]
    assert (more["starts"]["total"], more["waiting"], more["overcommits"]) == (1, 0, [])
    assert [(row["used"], row["ceiling"]) for row in less["exceeded"]] == [(1000, 0)]
    (over,) = (row for row in much["overcommits"] if row["pool"] is None)
    assert (over["promised"], over["available"], over["is_new"]) == (20_000, 8000, True)
    of_all = [row for row in more["capacities"] if row["pool"] is None]
    assert {row["resource"]: row["installed"] for row in of_all}["gpu"] == 8000
    quota.refresh_from_db()
    assert (quota.ceiling, QuotaChange.objects.count()) == (1000, 0)


def test_undo_is_a_change_of_its_own_and_is_refused_when_it_was_changed_again(
    scene: Scene, admin: User
) -> None:
    quota = a_quota(scene.group, ceiling=6000)
    first = save(admin, edit(quota, ceiling=8000), new(a_group(), ceiling=1))

    seen = preview(admin, undo=first["id"])
    undone = save(admin, undo=first["id"], reason="A mistake")

    assert [row["after"] and row["after"]["ceiling"] for row in seen["changes"]] == [6000, None]
    quota.refresh_from_db()
    assert (quota.ceiling, Quota.objects.count()) == (6000, 1)
    assert undone["undoes"] == first["id"]
    newest, before = json_of(browser(admin).get(CHANGES))["results"]
    assert (newest["id"], newest["reason"]) == (undone["id"], "A mistake")
    assert before["undone_by"] == undone["id"]
    again = problem_of(post(admin, "", undo=first["id"]), 409, "quotas_changed_again")
    assert len(again["errors"]) == 2
    problem_of(post(admin, "/preview", undo=first["id"]), 409, "quotas_changed_again")
    problem_of(post(admin, "", undo=str(new_id())), 404, "not_found")
    save(admin, undo=undone["id"])
    quota.refresh_from_db()
    assert (quota.ceiling, Quota.objects.count()) == (8000, 2)


def test_every_way_of_changing_a_quota_is_in_the_history(scene: Scene, admin: User) -> None:
    body = {"group": str(scene.group.pk), "resource": "gpu", "ceiling": 3000}
    client = browser(admin)
    made = json_of(client.post(f"{API}/quotas", body, format="json"), 201)
    client.patch(f"{API}/quotas/{made['id']}", {"ceiling": 4000}, format="json")
    client.patch(f"{API}/quotas/{made['id']}", {"ceiling": 4000}, format="json")
    client.delete(f"{API}/quotas/{made['id']}")

    rows = [row["items"][0] for row in json_of(client.get(CHANGES))["results"]]

    assert [
        (row["before"] and row["before"]["ceiling"], row["after"] and row["after"]["ceiling"])
        for row in rows
    ] == [(4000, None), (3000, 4000), (None, 3000)]


@pytest.mark.parametrize(
    ("role", "group_role", "status"),
    [
        ("operator", "", 403),
        ("auditor", "", 403),
        ("", "viewer", 403),
        ("", "developer", 403),
        ("", "", 403),
    ],
)
def test_who_may_not_change_quotas(scene: Scene, role: str, group_role: str, status: int) -> None:
    quota, user = a_quota(scene.group, ceiling=6000), a_user(role=role)
    if group_role:
        Membership.objects.create(user=user, group=scene.group, role=group_role)

    for path in ("", "/preview"):
        problem_of(post(user, path, changes=[edit(quota, ceiling=1)]), status, "denied")
    problem_of(post(user, "/csv", text="group,resource\n"), status, "denied")

    quota.refresh_from_db()
    assert quota.ceiling == 6000


def test_a_head_raises_ceilings_below_up_to_its_own_and_nothing_else(scene: Scene) -> None:
    head = a_member(scene.group, "group_admin")
    child = a_group(parent=scene.group)
    Membership.objects.create(user=head, group=child, role="group_admin")
    own, below = a_quota(scene.group, ceiling=6000), a_quota(child, ceiling=2000)
    stranger = a_quota(a_group(), ceiling=2000)

    Quota.objects.create(group=scene.group, resource="gpu", model="A100", ceiling=1)

    save(head, edit(below, ceiling=5000))

    below.refresh_from_db()
    assert below.ceiling == 5000
    for wrong, code in (
        (edit(below, ceiling=7000), "above_group_ceiling"),
        (edit(below, ceiling=None), "above_group_ceiling"),
        (edit(below, ceiling=4000), "denied"),
        (edit(below, ceiling=5500, deserved=1000), "denied"),
        (edit(own, ceiling=7000), "denied"),
        (new(child) | {"resource": "cpu"}, "denied"),
        (edit(stranger, ceiling=3000), "unknown_group"),
    ):
        problem = problem_of(post(head, "", changes=[wrong]), 422, "quota_change_invalid")
        assert [found for _, found in pointers(problem)] == [code]


def test_heads_read_the_history_of_their_groups_only(scene: Scene, admin: User) -> None:
    head, mine = a_member(scene.group, "group_admin"), a_quota(scene.group, ceiling=6000)
    theirs = a_quota(a_group(), ceiling=1000)
    save(admin, edit(mine, ceiling=7000), edit(theirs, ceiling=2000), reason="Both")
    hidden = save(admin, edit(theirs, ceiling=1000) | {"before": limits(theirs, ceiling=2000)})

    (row,) = json_of(browser(head).get(CHANGES))["results"]

    assert (row["reason"], [item["group"]["id"] for item in row["items"]]) == (
        "Both",
        [str(scene.group.pk)],
    )
    problem_of(post(head, "", undo=hidden["id"]), 404, "not_found")
    problem_of(post(head, "", undo=row["id"]), 422, "quota_change_invalid")
    assert len(json_of(browser(a_user(role="auditor")).get(CHANGES))["results"]) == 2
    only = json_of(browser(admin).get(f"{CHANGES}?group={scene.group.pk}"))["results"]
    assert [len(change["items"]) for change in only] == [1]
    for user in (scene.owner, a_user(role="operator"), a_user()):
        problem_of(browser(user).get(CHANGES), 403, "denied")


def test_what_others_are_waiting_for_stays_unnamed_to_a_head(scene: Scene, admin: User) -> None:
    parent = a_group()
    head = a_member(parent, "group_admin")
    child = a_group(parent=parent)
    Membership.objects.create(user=head, group=child, role="group_admin")
    quota = a_quota(child, ceiling=0)
    a_quota(parent, ceiling=8000, pool=None)
    a_quota(a_group(), ceiling=None, pool=scene.pool)
    scene.work(gpus=8, name="of others")

    answer = preview(head, edit(quota, ceiling=4000))

    assert "of others" not in str(answer)
    assert answer["overcommits"] == []


def test_a_file_goes_out_and_in_again(scene: Scene, admin: User) -> None:
    a_quota(scene.group, ceiling=6500)
    a_quota(scene.group, "memory", ceiling=None, user_ceiling=1, pool=scene.pool)
    answer = browser(admin).get(f"{API}/quotas/csv")
    text = answer.content.decode("utf-8")

    assert answer["Content-Type"] == "text/csv; charset=utf-8"
    assert text.startswith("\ufeffgroup,pool,resource,model,user,guarantee,")
    group, pool = scene.group.name, scene.pool.name
    assert f"{group},,gpu,,,0,0,6.5,unlimited,medium,0\r\n" in text
    assert f"{group},{pool},memory,,,0,0,unlimited,0.0009765625,medium,0\r\n" in text
    assert json_of(post(admin, "/csv", text=text)) == {"changes": [], "members": []}
    edited = text.replace("6.5,unlimited", "7,2").replace(",", ";")
    (found,) = json_of(post(admin, "/csv", text=edited))["changes"]
    assert (found["before"]["ceiling"], found["after"]["ceiling"]) == (6500, 7000)
    assert found["after"]["user_ceiling"] == 2000
    save(admin, found)
    assert Quota.objects.get(resource="gpu").user_ceiling == 2000
    partial = f"\ufeffgroup,resource,guarantee,deserved\n{group},cpu,1,2.5\n\n{group},gpu,,\n"
    (found,) = json_of(post(admin, "/csv", text=partial))["changes"]
    assert (found["before"], found["after"]["deserved"]) == (None, 2500)


def test_faults_of_a_file_name_row_and_column(scene: Scene, admin: User) -> None:
    group = scene.group.name
    rows = [
        "group,pool,resource,deserved,ceiling,weight",
        f"{group},,gpu,3,2,medium",
        "nowhere,,gpu,1,1,medium",
        f"{group},no-pool,gpu,1,1,medium",
        f"{group},,gpu,,,",
    ]
    problem = problem_of(post(admin, "/csv", text="\n".join(rows)), 422, "csv_refused")
    assert pointers(problem) == [
        ("/rows/2/ceiling", "quota_order"),
        ("/rows/3/group", "unknown_group"),
        ("/rows/4/pool", "unknown_pool"),
        ("/rows/5/group", "said_twice"),
    ]
    assert problem["errors"][0]["params"]["min"] == "3"  # in the file's unit, not in thousandths
    words = [
        "group,resource,ceiling,weight",
        f"{group},gold,1,",
        f"{group},gpu,-1,",
        f"{group},gpu,0.0001,huge",
        f"{group},gpu,1e999,",
        "nowhere,gpu,none,",
        "nowhere,gpu,1,",
    ]
    problem = problem_of(post(admin, "/csv", text="\n".join(words)), 422, "csv_refused")
    assert pointers(problem) == [
        ("/rows/2/resource", "csv_unknown_word"),
        ("/rows/3/ceiling", "csv_not_an_amount"),
        ("/rows/4/ceiling", "csv_not_an_amount"),
        ("/rows/4/weight", "csv_unknown_word"),
        ("/rows/4/group", "said_twice"),
        ("/rows/5/ceiling", "csv_not_an_amount"),
        ("/rows/5/group", "said_twice"),
        ("/rows/6/ceiling", "csv_not_an_amount"),
        ("/rows/6/group", "unknown_group"),
        ("/rows/7/group", "unknown_group"),
    ]
    for text, code in (
        ("group,resource,colour\n", "csv_unknown_column"),
        ("group\n", "csv_missing_column"),
        ("\n", "csv_missing_column"),
        ("group,resource\n" + f"{group},gpu\n" * 1001, "csv_too_long"),
        ("group,resource\n" + "x" * 140_000, "csv_not_readable"),
    ):
        problem = problem_of(post(admin, "/csv", text=text), 422, "csv_refused")
        assert code in [found for _, found in pointers(problem)]
    assert QuotaChange.objects.count() == 0


@pytest.mark.django_db(transaction=True)
def test_of_two_who_save_at_once_one_is_told(scene: Scene, admin: User) -> None:
    quota = a_quota(scene.group, ceiling=6000)
    answers: list[int] = []

    def run(ceiling: int) -> None:
        answers.append(post(admin, "", changes=[edit(quota, ceiling=ceiling)]).status_code)
        connection.close()

    threads = [Thread(target=run, args=(ceiling,)) for ceiling in (1000, 2000)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(answers) == [201, 409]
    assert QuotaChange.objects.count() == 1
