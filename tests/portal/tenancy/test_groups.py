"""Groups come, are renamed, and go when nothing is in them; none with work is divided."""

import pytest

from portal.audit.models import AuditEvent
from portal.tenancy.models import Group
from portal.workloads.models import Workload
from tests.builders.people import a_group, a_member, a_root, a_user
from tests.builders.scenes import a_quota, a_scene
from tests.rest import API, browser, json_of, problem_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_url")]

GROUPS = f"{API}/groups"


def test_a_platform_grows_from_its_organisation() -> None:
    admin = browser(a_user(role="platform_admin"))

    top = json_of(
        admin.post(GROUPS, {"name": "lab", "title_en": "Lab", "title_zh": "Lab"}, format="json"),
        201,
    )
    leaf = {"name": "nlp", "title_en": "NLP", "title_zh": "NLP 组", "parent": top["id"]}
    made = json_of(admin.post(GROUPS, leaf, format="json"), 201)
    renamed = json_of(admin.patch(f"{GROUPS}/{made['id']}", {"title_en": "Text"}, format="json"))

    assert (top["parent"], made["parent"]) == (None, top["id"])
    assert (renamed["title_en"], renamed["title_zh"]) == ("Text", "NLP 组")
    second_root = admin.post(
        GROUPS, {"name": "two", "title_en": "Two", "title_zh": "Two"}, format="json"
    )
    problem_of(second_root, 422, "parent_missing")
    problem_of(admin.post(GROUPS, leaf, format="json"), 409, "name_taken")
    assert admin.delete(f"{GROUPS}/{made['id']}").status_code == 204
    problem_of(admin.delete(f"{GROUPS}/{made['id']}"), 404, "not_found")
    acts = list(AuditEvent.objects.order_by("id").values_list("action", flat=True))
    assert acts == ["group.create", "group.create", "group.change", "group.delete"]


def test_a_group_with_living_work_is_not_divided() -> None:
    scene = a_scene()
    work = scene.work(gpus=1)
    admin = browser(a_user(role="platform_admin"))
    below = {
        "name": "below",
        "title_en": "Below",
        "title_zh": "Below",
        "parent": str(scene.group.pk),
    }

    problem_of(admin.post(GROUPS, below, format="json"), 409, "group_has_work")
    Workload.objects.filter(pk=work.pk).update(state="cancelled")
    json_of(admin.post(GROUPS, below, format="json"), 201)


def test_a_group_with_anything_in_it_stays() -> None:
    scene = a_scene()
    admin = browser(a_user(role="platform_admin"))

    scene.work(gpus=1, state="cancelled")
    problem_of(admin.delete(f"{GROUPS}/{scene.group.pk}"), 409, "group_has_past")
    limited = a_group()
    a_quota(limited, ceiling=1000)
    problem_of(admin.delete(f"{GROUPS}/{limited.pk}"), 409, "group_has_quotas")
    problem_of(admin.delete(f"{GROUPS}/{a_root().pk}"), 409, "group_has_groups")
    assert Group.objects.filter(pk__in=[scene.group.pk, limited.pk]).count() == 2


def test_members_go_with_an_empty_group() -> None:
    group = a_group()
    member = a_member(group)
    admin = browser(a_user(role="platform_admin"))

    assert admin.delete(f"{GROUPS}/{group.pk}").status_code == 204
    assert member.memberships.count() == 0


def test_groups_do_not_grow_without_end() -> None:
    parent = a_root()
    while Group.objects.count() < 8:
        parent = a_group(parent=parent)
    admin = browser(a_user(role="platform_admin"))
    body = {"name": "deeper", "title_en": "Deeper", "title_zh": "Deeper", "parent": str(parent.pk)}
    problem_of(admin.post(GROUPS, body, format="json"), 422, "groups_too_deep")


def test_heads_of_groups_and_operators_do_not_make_groups() -> None:
    group = a_group()
    body = {"name": "mine", "title_en": "Mine", "title_zh": "Mine", "parent": str(group.pk)}
    for user in (a_member(group, "group_admin"), a_user(role="operator")):
        problem_of(browser(user).post(GROUPS, body, format="json"), 403, "denied")
        problem_of(browser(user).delete(f"{GROUPS}/{group.pk}"), 403, "denied")
