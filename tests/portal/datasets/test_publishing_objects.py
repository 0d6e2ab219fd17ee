"""Objects of a store become versions of data sets: by whom the operator lets, and with its keys kept secret."""

import json
import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from rest_framework.test import APIClient

from portal.audit.models import AuditEvent
from portal.common.site_config import ObjectStore, get_site_config
from portal.datasets.models import Dataset, DatasetPublication
from portal.datasets.publishing.runs import run_publications
from portal.identity.models import User
from portal.tenancy.models import Group, Membership
from tests.builders.datasets import a_dataset
from tests.builders.people import a_group, a_member, a_user
from tests.object_server import SECRET_KEY, object_server, store_at
from tests.rest import API, browser, json_of, problem_of

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("redis_url")]
URL = f"{API}/dataset-publications"
STORES = f"{API}/object-stores"


@dataclass
class Lab:
    """A group below another one, whose head may publish from a store that is for the group above."""

    above: Group
    group: Group
    head: User
    store: ObjectStore

    def ask(self, client: APIClient | None = None, **body: Any) -> Any:
        given = {"dataset": "faces", "store": "lab", "path": "faces", **body}
        return (client or browser(self.head)).post(URL, given, format="json")


@pytest.fixture
def lab(tmp_path: Path, set_site: Callable[..., None]) -> Iterator[Lab]:
    buckets = tmp_path / "buckets" / "sets" / "shared"
    (buckets / "faces" / "train").mkdir(parents=True)
    (buckets / "faces" / "train" / "a.txt").write_text("a")
    (buckets / "faces" / "b.txt").write_text("bb")
    above = a_group()
    group = a_group(parent=above)
    with object_server(tmp_path / "buckets") as endpoint:
        store = replace(store_at(endpoint, prefix="shared/"), groups=frozenset({above.name}))
        other = replace(store, name="other", groups=frozenset({"nobody"}))
        set_site(
            storage_dir=tmp_path / "storage",
            object_stores={"lab": store, "other": other},
            group_datasets_mib_max=0,
        )
        (tmp_path / "storage").mkdir()
        yield Lab(above, group, a_member(group, "group_admin"), store)


def run_all() -> None:
    while run_publications(get_site_config()):
        pass


def test_a_head_publishes_objects_below_a_prefix(lab: Lab) -> None:
    made = json_of(lab.ask(group=str(lab.group.pk), alias="clean"), 202)
    run_all()

    done = json_of(browser(lab.head).get(f"{URL}/{made['id']}"))
    assert (done["state"], done["number"], done["failure"]) == ("done", 1, None)
    assert (done["source_kind"], done["source_id"], done["store"]) == ("store", None, "lab")
    assert (done["source_path"], done["bytes_done"], done["files_done"]) == ("faces", 3, 2)
    top = get_site_config().storage_dir / "published" / made["id"]
    found = {str(it.relative_to(top)): it.read_text() for it in top.rglob("*") if it.is_file()}
    assert found == {"train/a.txt": "a", "b.txt": "bb"}
    act = AuditEvent.objects.get(action="dataset.publish")
    assert (act.params["store"], act.params["path"]) == ("lab", "faces")
    assert "source_id" not in act.params


def test_stores_are_shown_to_whom_they_are_for_and_without_address_or_keys(lab: Lab) -> None:
    shown = [{"name": "lab", "bucket": "sets", "prefix": "shared/"}]
    stranger = a_member(a_group(), "group_admin")
    member = a_member(lab.group)

    assert json_of(browser(lab.head).get(STORES)) == shown
    assert json_of(browser(stranger).get(STORES)) == []
    assert json_of(browser(member).get(STORES)) == []
    everything = json_of(browser(a_user(role="platform_admin")).get(STORES))
    assert [it["name"] for it in everything] == ["lab", "other"]


def test_who_may_not_use_a_store_or_change_the_data_set_is_refused(lab: Lab) -> None:
    group, other = str(lab.group.pk), a_group()
    stranger = browser(a_member(other, "group_admin"))
    both = a_member(other, "group_admin")
    Membership.objects.create(user=both, group=lab.group, role="group_admin")
    a_dataset("open", everybody=True)

    problem_of(lab.ask(browser(a_member(lab.group)), group=group), 403, "denied")
    problem_of(lab.ask(stranger, group=str(other.pk)), 404, "not_found")
    problem_of(lab.ask(store="other", group=group), 404, "not_found")
    problem_of(lab.ask(store="none", group=group), 404, "not_found")
    problem_of(lab.ask(dataset="open"), 403, "denied")
    refused = lab.ask(browser(both), group=str(other.pk))
    assert "lab" in problem_of(refused, 422, "store_of_other_groups")["detail"]
    assert not DatasetPublication.objects.exists()
    assert not Dataset.objects.filter(name="faces").exists()


def test_admins_of_the_platform_use_every_store(lab: Lab) -> None:
    a_dataset("open", everybody=True)
    admin = browser(a_user(role="platform_admin"))
    json_of(lab.ask(admin, store="other", dataset="open"), 202)


@pytest.mark.parametrize(
    "body",
    [
        {"store": "http://169.254.169.254"},
        {"store": "lab", "endpoint": "http://127.0.0.1"},
        {"store": "lab", "bucket": "another"},
        {"store": "lab", "path": "../up"},
        {"store": "lab", "path": "/faces"},
        {"store": "lab", "path": "faces/"},
        {"store": "lab", "volume": "0189d7a0-0000-7000-8000-000000000000"},
        {"store": None},
    ],
)
def test_nobody_names_addresses_buckets_or_ways_out_of_the_prefix(
    body: dict[str, Any], lab: Lab
) -> None:
    answer = lab.ask(group=str(lab.group.pk), **body)
    assert answer.status_code in (400, 422)
    assert answer["Content-Type"] == "application/problem+json"
    assert not DatasetPublication.objects.exists()


def test_what_the_store_refuses_is_told_in_both_languages_and_never_with_keys(
    lab: Lab, set_site: Callable[..., None], caplog: pytest.LogCaptureFixture
) -> None:
    wrong = replace(lab.store, secret_key="wrong-" + SECRET_KEY)
    made = json_of(lab.ask(group=str(lab.group.pk)), 202)
    set_site(object_stores={"lab": wrong})
    with caplog.at_level(logging.DEBUG):
        run_all()

    texts: dict[str, str] = {}
    for language in ("en", "zh-CN"):
        client = browser(lab.head)
        answer = client.get(f"{URL}/{made['id']}", HTTP_ACCEPT_LANGUAGE=language)
        failure = json_of(answer)["failure"]
        assert failure["code"] == "store_denied"
        texts[language] = failure["detail"]
    assert texts["en"] != texts["zh-CN"]
    assert all("lab" in text for text in texts.values())
    assert "store.failed" in caplog.text
    audit = list(AuditEvent.objects.values_list("action", "params"))
    assert "dataset.publish_fail" in {action for action, _ in audit}
    listed = json_of(browser(lab.head).get(URL))
    assert SECRET_KEY not in caplog.text + json.dumps([audit, listed, texts], default=str)
    assert lab.store.endpoint not in json.dumps([audit, listed, texts], default=str)


def test_a_store_that_is_gone_fails_what_waits_for_it(
    lab: Lab, set_site: Callable[..., None]
) -> None:
    made = json_of(lab.ask(group=str(lab.group.pk)), 202)
    set_site(object_stores={})
    run_all()
    failure = json_of(browser(lab.head).get(f"{URL}/{made['id']}"))["failure"]
    assert failure["code"] == "not_found"
    assert "object store" in failure["detail"]
