"""Each app's tables are one migration; a database of the many before them is taken as it is."""

import pytest
from django.core.management import call_command
from django.core.management.base import SystemCheckError
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.recorder import MigrationRecorder

pytestmark = pytest.mark.django_db
YOUNGER_APPS = ("serving", "serving_usage")
"""They have had one migration from the start."""
NEWEST_BEFORE = ("workloads", "0024_versions_of_datasets")


@pytest.fixture
def _older_database() -> None:
    """Leave only the names under which the tables were made before."""
    squashed = MigrationRecorder(connection).migration_qs.filter(name="0001_tables")
    squashed.exclude(app__in=YOUNGER_APPS).delete()


@pytest.mark.usefixtures("_older_database")
def test_a_database_with_all_earlier_migrations_needs_none() -> None:
    executor = MigrationExecutor(connection)

    assert executor.migration_plan(executor.loader.graph.leaf_nodes()) == []


def test_a_database_with_some_of_them_is_refused_before_anything_is_written() -> None:
    app, name = NEWEST_BEFORE
    MigrationRecorder(connection).record_unapplied(app, name)

    with pytest.raises(SystemCheckError, match=r"'workloads'.*before '0024_versions_of_datasets'"):
        call_command("migrate", plan=True, verbosity=0, skip_checks=False)


@pytest.mark.parametrize("app", ["workloads", "site", "sessions"])
def test_a_database_of_a_later_version_is_refused_and_its_newest_migration_is_named(
    app: str,
) -> None:
    for name in ("0901_later", "0902_latest"):
        MigrationRecorder(connection).record_applied(app, name)

    with pytest.raises(SystemCheckError, match=rf"E002.*'{app}'.*later version.*'0902_latest'"):
        call_command("migrate", verbosity=0, skip_checks=False)


def test_what_an_app_that_is_gone_has_left_behind_is_no_sign_of_a_later_version() -> None:
    MigrationRecorder(connection).record_applied("gone", "0001_initial")

    call_command("migrate", plan=True, verbosity=0, skip_checks=False)
