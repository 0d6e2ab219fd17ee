"""What is read of settings can be written back: the answer is no error, and nothing has changed.

Written are the fields that the request takes; what refers to another row goes back as its id.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from rest_framework.test import APIClient

from portal.alarms.api.inputs import AlarmRuleChange
from portal.audit.models import AuditEvent
from portal.catalog.api.serializers import ImageChange
from portal.common.rest.serializers import InputSerializer
from portal.fleet.api.pools import PoolChangeInput
from portal.inventory.policy_shapes import PolicySaveInput
from portal.site.api.serializers import SettingsInput
from portal.site.models import SiteSettings
from portal.tenancy.api.groups import GroupChange
from portal.tenancy.api.serializers import UserChange
from portal.workloads.responses.templates import TemplateChange
from tests.builders.machines import a_pool, an_image
from tests.builders.people import a_group, a_user
from tests.rest import API, browser, json_of, problem_of
from tests.site_config import override_site_config

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_url")]

SITE = f"{API}/site-settings"
HISTORY = frozenset({"version", "changed_at"})
"""Fields that say that something was saved."""


@dataclass(frozen=True)
class Setting:
    """Something that is read and written at an address."""

    path: str
    taken: type[InputSerializer]
    verb: str = "patch"
    listed: str = ""
    """Where it is read among others, if it is not read alone."""
    part: Callable[[Any], Any] = lambda answer: answer
    """What of the answer is written."""


def an_admin() -> APIClient:
    return browser(a_user(role="platform_admin"))


def written(answer: Any, taken: type[InputSerializer]) -> dict[str, Any]:
    """Return the fields of an answer that a request takes, and rows by their ids."""
    return {name: _plain(answer[name]) for name in taken.shared_fields() if name in answer}


def _plain(value: Any) -> Any:
    if isinstance(value, list):
        return [_plain(each) for each in value]
    return value["id"] if isinstance(value, dict) and "id" in value else value


def a_template(admin: APIClient) -> Setting:
    body = {"name": "Night run", "settings": {"gpus": 2}, "ranges": {"gpus": {"max": 4}}}
    made = json_of(admin.post(f"{API}/job-templates", body, format="json"), 201)
    return Setting(f"{API}/job-templates/{made['id']}", TemplateChange, "put")


def an_alarm_rule(admin: APIClient) -> Setting:
    body = {
        "name": "Idle",
        "kind": "gpu_idle",
        "severity": "warning",
        "threshold": 10,
        "duration_s": 600,
        "audience": ["owner"],
        "pool": str(a_pool().pk),
    }
    rule = json_of(admin.post(f"{API}/alarm-rules", body, format="json"), 201)
    path = f"{API}/alarm-rules/{rule['id']}"
    return Setting(
        path, AlarmRuleChange, listed=f"{API}/alarm-rules", part=lambda all_: all_["rules"]
    )


def a_pool_rule(_admin: APIClient) -> Setting:
    path = f"{API}/pools/{a_pool(slices=2).pk}/policy"
    return Setting(path, PolicySaveInput, "put", part=lambda found: found["policy"])


def a_listed(kind: str, pk: object, taken: type[InputSerializer]) -> Setting:
    path = f"{API}/{kind}"
    return Setting(f"{path}/{pk}", taken, listed=path, part=lambda page: page["results"])


SETTINGS: dict[str, Callable[[APIClient], Setting]] = {
    "site": lambda _: Setting(SITE, SettingsInput),
    "pool": lambda _: Setting(f"{API}/pools/{a_pool().pk}", PoolChangeInput),
    "policy": a_pool_rule,
    "alarm rule": an_alarm_rule,
    "group": lambda _: a_listed("groups", a_group().pk, GroupChange),
    "user": lambda _: a_listed("users", a_user("reader").pk, UserChange),
    "image": lambda _: a_listed("images", an_image("python").pk, ImageChange),
    "template": a_template,
}


@pytest.mark.parametrize("name", SETTINGS)
def test_settings_that_were_read_can_be_written_back(name: str) -> None:
    admin = an_admin()
    setting = SETTINGS[name](admin)

    def read() -> Any:
        found = setting.part(json_of(admin.get(setting.listed or setting.path)))
        if not setting.listed:
            return found
        return next(row for row in found if row["id"] == setting.path.rsplit("/", 1)[-1])

    before = read()

    answer = getattr(admin, setting.verb)(
        setting.path, written(before, setting.taken), format="json"
    )

    assert answer.status_code == 200, answer.json()
    after = read()
    assert [key for key in before if key not in HISTORY and before[key] != after[key]] == []


@pytest.mark.parametrize("lease_ttl_s", [30.0, 12.5, 2.0, 0.5])
def test_the_whole_answer_of_the_site_can_be_written_back_whatever_its_defaults_are(
    lease_ttl_s: float,
) -> None:
    admin = an_admin()
    with override_site_config(lease_ttl_s=lease_ttl_s, workspaces_kept_days=4000):
        before = json_of(admin.get(SITE))

        after = json_of(admin.patch(SITE, before, format="json"))

    assert before == after
    row = SiteSettings.objects.get()
    assert (row.lease_ttl_s, row.workspaces_kept_days) == (None, None)
    assert not AuditEvent.objects.filter(action="site.change").exists()


@pytest.mark.parametrize("lease_ttl_s", [45, 45.0])
def test_a_whole_number_is_one_however_it_is_written(lease_ttl_s: float) -> None:
    changed = json_of(an_admin().patch(SITE, {"lease_ttl_s": lease_ttl_s}, format="json"))

    assert changed["lease_ttl_s"] == 45
    assert SiteSettings.objects.get().lease_ttl_s == 45


@pytest.mark.parametrize("lease_ttl_s", [45.5, "45", True])
def test_another_length_of_a_lease_has_whole_seconds(lease_ttl_s: object) -> None:
    answer = an_admin().patch(SITE, {"lease_ttl_s": lease_ttl_s}, format="json")

    (fault,) = problem_of(answer, 400, "invalid_input")["errors"]
    assert (fault["code"], fault["pointer"]) == ("not_an_integer", "/lease_ttl_s")
    assert not SiteSettings.objects.filter(lease_ttl_s__isnull=False).exists()
