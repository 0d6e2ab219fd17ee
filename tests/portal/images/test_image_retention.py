"""Saved images that nobody uses go by rule: which, when, who says so, and the registry deletes them."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import pytest

from portal.apps.models import WebApp
from portal.audit.models import AuditEvent
from portal.catalog.models import Image
from portal.common.clock import freeze, now
from portal.common.site_config import RegistryConfig
from portal.identity.models import Notice, User
from portal.images import registry_cleanup
from portal.images.image_retention import NOTICE, RETENTION_ACTOR
from portal.images.models import ImageRetention, SavedImage
from portal.images.retention_rules import GRACE
from portal.images.tasks import expire_images
from portal.submission_rules.models import SubmissionRules
from portal.templates.models import SubmissionTemplate
from portal.tenancy.models import Group
from portal.workloads.models import Workload
from tests.builders.machines import a_pool
from tests.builders.people import a_group, a_member, a_user
from tests.builders.saving import REGISTRY, a_saved_image
from tests.builders.workloads import a_workload
from tests.docker_registry import PASSWORD, USERNAME, docker_registry
from tests.nodeagent.docker.daemon.images import one_file_root, packed
from tests.rest import API, browser, json_of, problem_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_url")]
PLATFORM = f"{API}/image-retention"
MONTH = timedelta(days=30)


@dataclass
class Lab:
    """A group with people, and an administrator of the platform."""

    group: Group = field(default_factory=a_group)

    def __post_init__(self) -> None:
        self.owner = a_member(self.group)
        self.head = a_member(self.group, "group_admin")
        self.admin = a_user(role="platform_admin")

    @property
    def address(self) -> str:
        """Where the rule of the group is."""
        return f"{PLATFORM}/groups/{self.group.pk}"

    def image(self, name: str, *, days_ago: int, owner: User | None = None) -> SavedImage:
        """Save an image as it was some days ago."""
        saved = a_saved_image(owner or self.owner, self.group, name)
        made = now() - timedelta(days=days_ago)
        Image.objects.filter(pk=saved.pk).update(created_at=made)
        return saved

    def work(self, saved: SavedImage, state: str, kind: str = "training") -> Workload:
        """Save work on an image."""
        work = a_workload(self.owner, self.group, a_pool(), kind=kind, state=state)
        work.image = saved.image
        work.save(update_fields=["image"])
        return work


@pytest.fixture
def lab() -> Lab:
    return Lab()


def a_rule(
    group: Group | None = None, *, newest: int = 0, days: int | None = 30, age: timedelta = GRACE
) -> None:
    """Save a rule that was made some time ago."""
    changed = now() - age
    ImageRetention.objects.create(group=group, newest=newest, used_days=days, changed_at=changed)


def left() -> set[str]:
    """Let the task run, and return the names of what is left."""
    expire_images()
    rows = SavedImage.objects.filter(removed_at=None)
    return {name.partition("/")[2] for name in rows.values_list("image__name", flat=True)}


def shown(lab: Lab) -> dict[str, Any]:
    """Return what the list says of each image of the owner."""
    rows = json_of(browser(lab.owner).get(f"{API}/saved-images"))["results"]
    return {row["name"].partition("/")[2]: row for row in rows}


# --- What goes ---------------------------------------------------------------------------------------


def test_without_a_rule_everything_stays(lab: Lab) -> None:
    lab.image("old", days_ago=4000)
    assert left() == {"old"}
    assert shown(lab)["old"]["kept_by"] == "no_rule"
    a_rule(days=None)
    assert left() == {"old"}


def told(user: User) -> list[tuple[int, str, int]]:
    """Return how many images each notice of a person is about, their names, and when the first goes."""
    rows = Notice.objects.filter(user=user, code="images_expire").order_by("id")
    params = [row.params for row in rows]
    return [(each["count"], each["images"], each["within"]) for each in params]


def test_owners_are_told_once_before_their_images_go(lab: Lab) -> None:
    a_rule(days=30)
    other = a_member(lab.group)
    near = [lab.image(name, days_ago=days) for name, days in (("b", 24), ("a", 28), ("far", 10))]
    lab.image("hers", days_ago=29, owner=other)
    for _ in range(2):
        assert left() == {"a", "b", "far", "hers"}

    owner = lab.owner.username
    assert told(lab.owner) == [(2, f"{owner}/a, {owner}/b", 47 * 3600)]
    assert told(other) == [(1, f"{other.username}/hers", 23 * 3600)]
    assert told(lab.head) == []

    with freeze(now() + timedelta(days=14)):
        left()
        assert told(lab.owner)[1:] == [(1, f"{owner}/far", 6 * 86_400 - 3600)]
    assert near[2].expiry_noticed_at is None


def test_an_image_that_was_used_meanwhile_is_announced_again(lab: Lab) -> None:
    a_rule(days=30)
    saved = lab.image("old", days_ago=28)
    left()
    lab.work(saved, "succeeded")
    for days, count in ((0, 1), (1, 1), (30 - NOTICE.days - 1, 1), (30 - NOTICE.days + 1, 2)):
        with freeze(now() + timedelta(days=days)):
            assert left() == {"old"}
            assert len(told(lab.owner)) == count


def test_what_is_unused_for_long_goes_but_the_newest_of_each_person(lab: Lab) -> None:
    a_rule(newest=1)
    for number, days in enumerate((90, 80, 40, 20)):
        lab.image(f"mine-{number}", days_ago=days)
    lab.image("hers", days_ago=200, owner=lab.head)
    assert {name: row["kept_by"] for name, row in shown(lab).items()} == {
        "mine-0": None,
        "mine-1": None,
        "mine-2": None,
        "mine-3": "newest",
    }
    assert left() == {"mine-3", "hers"}
    gone = AuditEvent.objects.filter(action="saved_image.expire").order_by("id")
    assert [event.params["name"].partition("/")[2] for event in gone] == [
        "mine-0",
        "mine-1",
        "mine-2",
    ]
    assert gone[0].actor_name == RETENTION_ACTOR.name


def test_an_image_goes_the_days_after_the_last_work_on_it_has_ended(lab: Lab) -> None:
    a_rule()
    saved = lab.image("used", days_ago=100)
    work, ended = lab.work(saved, "succeeded"), now() - timedelta(days=10)
    Workload.objects.filter(pk=work.pk).update(finished_at=ended)
    row = shown(lab)["used"]
    assert (row["kept_by"], row["last_used_at"]) == (None, ended.isoformat().replace("+00:00", "Z"))
    assert left() == {"used"}
    with freeze(ended + MONTH + timedelta(minutes=1)):
        assert left() == set()


@pytest.mark.parametrize("state", ["queued", "running", "suspended"])
def test_what_work_that_has_not_ended_uses_never_goes(lab: Lab, state: str) -> None:
    a_rule()
    saved = lab.image("used", days_ago=100)
    lab.work(saved, state, "environment" if state == "suspended" else "training")
    assert shown(lab)["used"]["kept_by"] == "in_use"
    assert left() == {"used"}


def a_template_names(lab: Lab, image: Image) -> None:
    SubmissionTemplate.objects.create(
        kind="training",
        user=lab.head,
        name="mine",
        settings={"image": image.name},
        changed_at=now(),
    )


def a_template_names_it_by_id(lab: Lab, image: Image) -> None:
    SubmissionTemplate.objects.create(
        kind="environment",
        group=lab.group,
        name="ours",
        settings={"image": str(image.pk)},
        changed_at=now(),
    )


def a_rule_gives_it(lab: Lab, image: Image) -> None:
    SubmissionRules.objects.create(
        kind="training", group=lab.group, defaults={"image": image.name}, changed_at=now()
    )


def a_rule_allows_it(lab: Lab, image: Image) -> None:
    SubmissionRules.objects.create(
        kind="training",
        group=lab.group,
        choices={"image": ["python", image.name]},
        changed_at=now(),
    )


def an_app_runs_it(_: Lab, image: Image) -> None:
    WebApp.objects.create(
        name="board", image=image, cpu_milli=1, memory_mib=1, idle_s=60, time_limit_s=60
    )


@pytest.mark.parametrize(
    "name_it",
    [
        a_template_names,
        a_template_names_it_by_id,
        a_rule_gives_it,
        a_rule_allows_it,
        an_app_runs_it,
    ],
)
def test_what_a_template_a_rule_or_an_app_names_never_goes(
    lab: Lab, name_it: Callable[[Lab, Image], None]
) -> None:
    a_rule()
    saved, _ = lab.image("named", days_ago=100), lab.image("other", days_ago=100)
    name_it(lab, saved.image)
    assert shown(lab)["named"]["kept_by"] == "named"
    assert left() == {"named"}


def test_what_is_pinned_stays_until_it_is_not(lab: Lab) -> None:
    a_rule()
    saved = lab.image("dear", days_ago=100)
    client, address = browser(lab.owner), f"{API}/saved-images/{saved.pk}"
    pinned = json_of(client.patch(address, {"is_pinned": True}, format="json"))
    assert (pinned["is_pinned"], pinned["kept_by"], pinned["leaves_at"]) == (True, "pinned", None)
    assert left() == {"dear"}
    json_of(client.patch(address, {"is_pinned": False}, format="json"))
    assert left() == set()


def test_nothing_goes_in_the_first_days_of_a_rule(lab: Lab) -> None:
    lab.image("old", days_ago=100)
    a_rule(age=GRACE - timedelta(hours=1))
    assert left() == {"old"}
    with freeze(now() + timedelta(hours=2)):
        assert left() == set()


def test_the_nearest_rule_counts(lab: Lab) -> None:
    below = Lab(a_group(parent=lab.group))
    lab.image("above", days_ago=100)
    below.image("below", days_ago=100)
    a_rule(days=10)
    a_rule(lab.group, days=None)
    assert left() == {"above", "below"}, "the group keeps its own for good, and those below it"
    a_rule(below.group, days=50)
    assert left() == {"above"}


def test_the_registry_deletes_what_has_gone(lab: Lab) -> None:
    a_rule()
    saved = lab.image("old", days_ago=100)
    with docker_registry() as hub:
        repository = f"berth/{saved.pk}"
        digest = hub.push(repository, packed(one_file_root(b"mine")))
        Image.objects.filter(pk=saved.pk).update(reference=f"{hub.host}/{repository}@{digest}")
        config = RegistryConfig(hub.host, f"http://{hub.host}", USERNAME, PASSWORD)
        assert left() == set()
        registry_cleanup.tidy_registry(config)
        assert hub.manifest(repository, digest) is not None, "work that came meanwhile may have it"
        with freeze(now() + 2 * registry_cleanup.DELETED_AFTER):
            registry_cleanup.tidy_registry(config)
        assert hub.manifest(repository, digest) is None
    saved.refresh_from_db()
    assert saved.deleted_at is not None


# --- Rules -------------------------------------------------------------------------------------------


def test_a_rule_is_tried_before_it_is_set(lab: Lab) -> None:
    saved = lab.image("old", days_ago=100)
    client = browser(lab.admin)
    asked = {"newest": 0, "used_days": 30, "dry_run": True}
    answer = json_of(client.put(PLATFORM, asked, format="json"))
    assert (answer["leaving_count"], answer["leaving_bytes"]) == (1, saved.size_bytes)
    (leaving,) = answer["leaving"]
    assert (leaving["id"], leaving["name"]) == (str(saved.pk), saved.image.name)
    assert not ImageRetention.objects.exists()
    assert json_of(client.get(PLATFORM))["leaving"] == []
    kept = json_of(client.put(PLATFORM, asked | {"newest": 1}, format="json"))
    assert kept["leaving_count"] == 0
    set_now = json_of(client.put(PLATFORM, asked | {"dry_run": False}, format="json"))
    assert (set_now["newest"], set_now["used_days"], set_now["is_own"]) == (0, 30, True)
    assert set_now["leaving_count"] == 1
    assert set_now["due_count"] == 0, "not in the first days of a rule"
    (event,) = AuditEvent.objects.filter(action="image_retention.change")
    assert event.params == {"before": {}, "after": {"newest": 0, "used_days": 30}}


def test_a_group_has_the_rule_of_the_platform_until_it_has_its_own(lab: Lab) -> None:
    a_rule(days=50)
    head = browser(lab.head)
    before = json_of(head.get(lab.address))
    assert (before["used_days"], before["is_own"], before["may_change"]) == (50, False, True)
    body = {"newest": 2, "used_days": 10}
    own = json_of(head.put(lab.address, body, format="json"))
    assert (own["used_days"], own["is_own"]) == (10, True)
    assert own["group"]["id"] == str(lab.group.pk)
    assert head.delete(lab.address).status_code == 204
    assert json_of(head.get(lab.address))["used_days"] == 50
    assert head.delete(lab.address).status_code == 204, "there is none any more"


def test_who_may_set_a_rule(lab: Lab) -> None:
    body = {"newest": 2, "used_days": 10}
    problem_of(browser(lab.owner).put(lab.address, body, format="json"), 403, "denied")
    problem_of(browser(lab.head).put(PLATFORM, body, format="json"), 403, "denied")
    problem_of(browser(lab.head).delete(PLATFORM), 403, "denied")
    outsider = browser(a_member(a_group(), "group_admin"))
    problem_of(outsider.put(lab.address, body, format="json"), 404, "not_found")
    problem_of(outsider.get(lab.address), 404, "not_found")
    json_of(browser(lab.admin).put(lab.address, body, format="json"))


def test_private_images_of_others_are_counted_for_the_head_and_not_named(lab: Lab) -> None:
    lab.image("old", days_ago=100)
    a_rule(lab.group)
    seen = json_of(browser(lab.head).get(lab.address))
    assert (seen["leaving"], seen["leaving_count"], seen["due_count"]) == ([], 1, 1)
    colleague = json_of(browser(a_member(lab.group)).get(lab.address))
    assert (colleague["leaving"], colleague["leaving_count"]) == ([], 0)


@pytest.mark.parametrize(
    "body", [{"newest": -1, "used_days": 1}, {"newest": 1, "used_days": 0}, {"newest": 1}]
)
def test_a_rule_that_means_nothing_is_refused(lab: Lab, body: dict[str, int]) -> None:
    refused = browser(lab.admin).put(PLATFORM, body, format="json")
    problem_of(refused, 400, "invalid_input")


def test_the_list_takes_as_many_queries_for_many(
    lab: Lab, django_assert_max_num_queries: Any
) -> None:
    a_rule()
    for number in range(10):
        lab.image(f"image-{number}", days_ago=number)
    client = browser(lab.owner)
    with django_assert_max_num_queries(13):
        assert len(json_of(client.get(f"{API}/saved-images"))["results"]) == 10
    assert REGISTRY.host not in str(shown(lab))
