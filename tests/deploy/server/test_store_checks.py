"""Each fault of the stores that `berth-server check` names, on a real PostgreSQL and a real Valkey."""

import time
from collections.abc import Callable, Iterable

import pytest
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder

from deploy.server import store_checks
from deploy.server.faults import ServerFault
from deploy.server.words import LANGUAGES
from portal.common import encryption
from portal.common.clock import now
from portal.config import stored_secrets
from portal.secrets.models import Secret
from tests.builders.people import a_user
from tests.deploy.server.databases import Granted, become, granted_roles
from tests.site_config import override_site_config

pytestmark = pytest.mark.django_db
OWNER = ["role_is_superuser"]
"""The tests themselves are superusers."""


def codes(faults: Iterable[ServerFault]) -> list[str]:
    """Return the codes, having said each in both languages."""
    found = list(faults)
    assert all(fault.say(language) for fault in found for language in LANGUAGES)
    return [fault.code for fault in found]


@pytest.fixture
def granted() -> Granted:
    return granted_roles()


def ahead(seconds: float) -> Callable[[], float]:
    return lambda: time.time() + seconds


def test_a_superuser_is_the_only_fault_of_the_database_of_the_tests() -> None:
    assert codes(store_checks.find_database_faults(connection)) == OWNER


@pytest.mark.parametrize("skew_s", [-600, 600])
def test_a_clock_that_is_off_is_named_with_its_store(skew_s: int, redis_url: str) -> None:
    found = [
        *store_checks.find_database_faults(connection, ahead(skew_s)),
        *store_checks.find_valkey_faults(redis_url, ahead(skew_s)),
    ]
    skewed = [fault for fault in found if fault.code == "clock_skewed"]
    assert [fault.params["store"] for fault in skewed] == ["PostgreSQL", "Valkey"]
    assert all(abs(int(str(fault.params["skew_s"])) - 600) < 60 for fault in skewed)


def test_versions_that_are_too_old_are_named(redis_url: str) -> None:
    assert codes(store_checks.find_database_faults(connection, postgres_min=99)) == [
        "postgres_too_old",
        *OWNER,
    ]
    assert codes(store_checks.find_valkey_faults(redis_url, least=(99, 0))) == ["valkey_too_old"]
    assert codes(store_checks.find_valkey_faults(redis_url)) == []


def test_stores_that_do_not_answer_are_named() -> None:
    away = connection.copy()
    away.settings_dict = {**away.settings_dict, "HOST": "/nowhere", "OPTIONS": {}}
    assert codes(store_checks.find_database_faults(away)) == ["database_away"]
    assert codes(store_checks.find_valkey_faults("unix:///nowhere.sock")) == ["valkey_away"]


def test_missing_migrations_are_counted_and_the_first_is_named() -> None:
    MigrationRecorder(connection).record_unapplied("studies", "0003_groups")
    found = list(store_checks.find_database_faults(connection))
    assert codes(found) == [*OWNER, "migrations_missing"]
    assert found[-1].params == {"count": 1, "first": "studies.0003_groups"}


def test_tables_of_another_version_are_named() -> None:
    MigrationRecorder(connection).record_applied("workloads", "0901_later")
    assert codes(store_checks.find_database_faults(connection)) == [*OWNER, "tables_too_new"]


def test_keys_that_do_not_decrypt_what_is_stored_are_named_and_nothing_is_changed() -> None:
    secret = Secret.objects.create(
        user=a_user(),
        name="hub",
        encrypted_value=encryption.encrypt("value"),
        value_bytes=5,
        changed_at=now(),
    )
    with override_site_config(encryption_keys=("another",)):
        assert codes(store_checks.find_database_faults(connection)) == [*OWNER, "keys_do_not_fit"]
    assert stored_secrets.are_readable()
    assert Secret.objects.get().encrypted_value == secret.encrypted_value


def test_the_role_of_the_processes_has_no_fault(granted: Granted) -> None:
    become(granted.app)
    assert codes(store_checks.find_database_faults(connection)) == []


def test_a_role_that_may_change_tables_or_the_audit_log_is_named(granted: Granted) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"GRANT CREATE ON SCHEMA public TO {granted.app}")
        cursor.execute(f"GRANT DELETE ON audit_auditevent TO {granted.app}")
    become(granted.app)
    assert codes(store_checks.find_database_faults(connection)) == [
        "role_changes_tables",
        "role_changes_audit_log",
    ]
