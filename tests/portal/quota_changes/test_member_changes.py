"""What single members may hold, as rows of a change of quotas: preview, save, history, undo, and files."""

from typing import Any

import pytest

from portal.audit.models import AuditEvent
from portal.identity.models import User
from portal.quotas.models import MemberCeiling, MemberLimit, Quota
from tests.builders.people import a_group, a_member, a_user
from tests.builders.scenes import Scene, a_quota, a_scene
from tests.rest import API, browser, json_of, problem_of

CHANGES = f"{API}/quota-changes"

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_url")]


@pytest.fixture
def scene() -> Scene:
    return a_scene()


@pytest.fixture
def admin() -> User:
    return a_user(role="platform_admin")


def edit(quota: Quota, user: User, before: int | None, after: int | None) -> dict[str, object]:
    """Return the edit of what a member may hold of a quota."""
    return {
        "group": str(quota.group_id),
        "user": str(user.pk),
        "pool": quota.pool_id and str(quota.pool_id),
        "resource": quota.resource,
        "before": before,
        "after": after,
    }


def post(user: User, path: str, **body: object) -> Any:
    return browser(user).post(f"{CHANGES}{path}", body, format="json")


def save(user: User, *members: object, **more: object) -> Any:
    return json_of(post(user, "", members=members, **more), 201)


def pointers(problem: Any) -> list[tuple[str, str]]:
    return [(each["pointer"], each["code"]) for each in problem["errors"]]


def ceilings() -> dict[str, int]:
    rows = MemberCeiling.objects.values_list("user__username", "ceiling")
    return {str(user): ceiling for user, ceiling in rows}


def test_a_head_sets_ceilings_of_members_with_a_reason_and_history(scene: Scene) -> None:
    head, one, two = a_member(scene.group, "group_admin"), *(a_member(scene.group) for _ in "12")
    gpu = a_quota(scene.group, ceiling=6000)

    made = save(head, edit(gpu, one, None, 2000), edit(gpu, two, None, 0), reason="Exam week")

    assert ceilings() == {one.username: 2000, two.username: 0}
    assert MemberLimit.objects.count() == 2
    assert made["items"] == []
    assert [(row["user"]["username"], row["before"], row["after"]) for row in made["members"]] == [
        (one.username, None, 2000),
        (two.username, None, 0),
    ]
    events = AuditEvent.objects.filter(action="member_limit.set").order_by("id")
    assert [event.params["reason"] for event in events] == ["Exam week", "Exam week"]
    assert events[0].params["after"] == {"ceiling": 2000}
    assert events[0].params["user"] == one.username
    (listed,) = json_of(browser(head).get(CHANGES))["results"]
    assert listed["members"] == made["members"]
    assert json_of(browser(a_member(a_group(), "group_admin")).get(CHANGES))["results"] == []


def test_undo_takes_ceilings_back_unless_they_were_changed_again(scene: Scene, admin: User) -> None:
    member, gpu = a_member(scene.group), a_quota(scene.group, ceiling=6000)
    first = save(admin, edit(gpu, member, None, 2000))
    second = save(admin, edit(gpu, member, 2000, 1000))

    problem = problem_of(post(admin, "", undo=first["id"]), 409, "quotas_changed_again")
    assert pointers(problem) == [("/members/0", "quota_changed")]
    undone = json_of(post(admin, "", undo=second["id"]), 201)
    assert (undone["undoes"], ceilings()) == (second["id"], {member.username: 2000})
    json_of(post(admin, "", undo=first["id"]), 201)
    assert ceilings() == {}
    assert not MemberLimit.objects.exists()


def test_other_limits_of_the_member_stay_when_a_ceiling_goes(scene: Scene, admin: User) -> None:
    member, gpu = a_member(scene.group), a_quota(scene.group, ceiling=6000)
    MemberLimit.objects.create(group=scene.group, user=member, running_max=3)
    save(admin, edit(gpu, member, None, 2000))
    save(admin, edit(gpu, member, 2000, None))
    assert MemberLimit.objects.get().running_max == 3


def test_a_change_of_others_meanwhile_saves_nothing(scene: Scene, admin: User) -> None:
    member, gpu = a_member(scene.group), a_quota(scene.group, ceiling=6000)
    save(admin, edit(gpu, member, None, 2000))
    for path in ("", "/preview"):
        answer = post(admin, path, members=[edit(gpu, member, None, 1000)])
        problem = problem_of(answer, 409, "quotas_changed")
        assert pointers(problem) == [("/members/0", "quota_changed")]
    assert ceilings() == {member.username: 2000}


def test_every_fault_stands_at_its_line(scene: Scene, admin: User) -> None:
    member, stranger = a_member(scene.group), a_member(a_group())
    gpu = a_quota(scene.group, ceiling=6000)
    other = Quota(group=scene.group, resource="cpu")
    wrong = [edit(gpu, member, None, 9000), edit(other, member, None, 1)]
    problem = problem_of(post(admin, "/preview", members=wrong), 422, "quota_change_invalid")
    assert pointers(problem) == [
        ("/members/0/after", "above_group_limit"),
        ("/members/1/after", "unknown_quota"),
    ]
    twice = [edit(gpu, member, None, 1000), edit(gpu, member, None, 2000)]
    problem = problem_of(post(admin, "", members=twice), 422, "quota_change_invalid")
    assert pointers(problem) == [("/members/1", "said_twice")]
    answer = post(admin, "", members=[edit(gpu, stranger, None, 1)])
    problem = problem_of(answer, 422, "quota_change_invalid")
    assert pointers(problem) == [("/members/0/user", "not_a_member")]


def test_a_ceiling_keeps_within_the_quota_of_the_same_change(scene: Scene, admin: User) -> None:
    member, gpu = a_member(scene.group), a_quota(scene.group, ceiling=6000)
    names = ("guarantee", "deserved", "ceiling", "user_ceiling", "weight")
    before = {name: getattr(gpu, name) for name in names}
    lower: dict[str, object] = {"group": str(scene.group.pk), "resource": "gpu", "before": before}
    lower |= {"pool": gpu.pool_id and str(gpu.pool_id), "after": before | {"ceiling": 1000}}
    answer = post(admin, "", changes=[lower], members=[edit(gpu, member, None, 2000)])
    problem = problem_of(answer, 422, "quota_change_invalid")
    assert pointers(problem) == [("/members/0/after", "above_group_limit")]
    made = save(admin, edit(gpu, member, None, 1000), changes=[lower])
    assert (len(made["items"]), len(made["members"])) == (1, 1)


def test_members_set_no_limits_and_heads_not_their_own(scene: Scene) -> None:
    member, head = a_member(scene.group), a_member(scene.group, "group_admin")
    gpu = a_quota(scene.group, ceiling=6000)
    problem_of(post(member, "", members=[edit(gpu, head, None, 1)]), 403, "denied")
    answer = post(head, "", members=[edit(gpu, head, None, 1)])
    problem = problem_of(answer, 422, "quota_change_invalid")
    assert pointers(problem) == [("/members/0", "own_limit")]
    elsewhere = a_quota(a_group(), ceiling=6000)
    answer = post(head, "", members=[edit(elsewhere, member, None, 1)])
    assert pointers(problem_of(answer, 422, "quota_change_invalid")) == [
        ("/members/0", "not_found")
    ]
    assert ceilings() == {}


def test_the_preview_says_what_would_wait_and_saves_nothing(scene: Scene, admin: User) -> None:
    work = scene.work(gpus=2)
    gpu = a_quota(scene.group, ceiling=6000)
    found = json_of(post(admin, "/preview", members=[edit(gpu, work.owner, None, 1000)]))
    (never,) = found["impossible"]
    assert never["work"]["id"] == str(work.pk)
    assert found["members"][0]["user"]["username"] == work.owner.username
    assert ceilings() == {}


def test_ceilings_go_out_and_in_again_as_a_file(scene: Scene, admin: User) -> None:
    member, gpu = a_member(scene.group), a_quota(scene.group, ceiling=6000)
    save(admin, edit(gpu, member, None, 2000))
    text = browser(admin).get(f"{API}/quotas/csv").content.decode("utf-8-sig")
    (line,) = [each for each in text.splitlines() if member.username in each]
    assert json_of(post(admin, "/csv", text=text)) == {"changes": [], "members": []}

    edited = text.replace(line, line.replace(",2,", ",0.5,"))
    (found,) = json_of(post(admin, "/csv", text=edited))["members"]
    assert (found["before"], found["after"]) == (2000, 500)
    assert found["user"]["username"] == member.username
    save(admin, found | {"user": found["user"]["id"]})
    assert ceilings() == {member.username: 500}
    gone = text.replace(line, line.replace(",2,", ",unlimited,"))
    (found,) = json_of(post(admin, "/csv", text=gone))["members"]
    assert found["after"] is None

    header = "group,resource,user,ceiling,deserved\n"
    stranger = a_user()
    wrong = [
        f"{scene.group.name},gpu,nobody,1,",
        f"{scene.group.name},gpu,{stranger.username},1,",
        f"{scene.group.name},gpu,{member.username},1,1",
    ]
    answer = post(admin, "/csv", text=header + "\n".join(wrong))
    assert pointers(problem_of(answer, 422, "csv_refused")) == [
        ("/rows/2/user", "not_a_member"),
        ("/rows/3/user", "not_a_member"),
        ("/rows/4/user", "csv_member_has_a_ceiling"),
    ]
