"""Settings of LDAP as administrators enter them: what could not work is refused at its field."""

from typing import Any

import pytest

from tests.builders.directories import a_directory
from tests.builders.people import a_user
from tests.rest import API, browser, json_of, problem_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_url")]
LEAST = {"url": "ldaps://dc.example.org", "people_base": "dc=example,dc=org"}


def save(**values: Any) -> Any:
    """Return the answer to settings."""
    admin = browser(a_user(role="platform_admin"))
    change = {"ldap": {**LEAST, **values}}
    return admin.patch(f"{API}/directories/{a_directory().pk}", change, format="json")


def test_what_is_usual_needs_not_be_said() -> None:
    found = json_of(save())["ldap"]
    assert (found["id_attribute"], found["every_min"], found["is_plain"]) == (
        "entryUUID",
        60,
        False,
    )


@pytest.mark.parametrize(
    "values",
    [
        {"url": "https://dc.example.org"},
        {"url": "ldaps://"},
        {"url": "ldaps://dc/dc=example"},
        {"url": "ldaps://a:b@dc"},
        {"url": "ldaps://dc:99999"},
        {"people_base": "people"},
        {"people_base": ""},
        {"people_filter": "(uid=*"},
        {"people_filter": "uid"},
        {"id_attribute": "uid)(a=b"},
        {"ca_certificate": "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----"},
        {"every_min": 1},
        {"every_min": 10_000},
        {"bind_password": "not here"},
    ],
)
def test_what_could_not_work_is_refused(values: dict[str, Any]) -> None:
    problem_of(save(**values), 400, "invalid_input")
