"""`berth-server upgrade`: what stands against it is found before anything is written."""

from contextlib import closing

import psycopg
import pytest
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

from deploy.server import upgrades
from deploy.server.faults import RefusalError
from deploy.server.words import LANGUAGES
from tests.deploy.server.databases import present_url

pytestmark = pytest.mark.django_db
STOP = ("studies", "0002_stories")


def forget(app: str, first: str) -> None:
    """Make a migration and those of its app after it not applied."""
    recorder = MigrationRecorder(connection)
    for label, name in MigrationLoader(None, ignore_no_migrations=True).disk_migrations:
        if label == app and name >= first:
            recorder.record_unapplied(label, name)


def codes(*, are_stopped: bool = False) -> list[str]:
    found = list(upgrades.find_upgrade_faults(are_stopped=are_stopped))
    assert all(fault.say(language) for fault in found for language in LANGUAGES)
    return [fault.code for fault in found]


def test_nothing_stands_against_an_upgrade_that_only_adds() -> None:
    assert upgrades.pending_migrations() == []
    assert codes() == []


def test_an_upgrade_over_hard_stops_is_refused_and_each_is_named() -> None:
    forget(*STOP)
    forget("catalog", "0007_web_apps")
    found = list(upgrades.find_upgrade_faults(are_stopped=False))
    assert set(codes()) == {"hard_stop"}
    named = {fault.params["migration"] for fault in found}
    assert named == {"studies.0002_stories", "catalog.0007_web_apps"}


def test_processes_that_are_said_to_be_stopped_and_are_not_are_found() -> None:
    forget(*STOP)
    with closing(psycopg.connect(present_url())):
        assert codes(are_stopped=True) == ["still_connected"]


def test_tables_of_a_later_version_are_refused_whatever_is_stopped() -> None:
    MigrationRecorder(connection).record_applied("workloads", "0901_later")
    assert codes(are_stopped=True) == ["tables_too_new"]
    with pytest.raises(RefusalError, match="tables_too_new"):
        upgrades.migrate()


def test_a_backup_of_a_later_version_is_refused_before_it_is_restored() -> None:
    upgrades.refuse_later_version([*upgrades.applied_migrations(), "gone.0001_initial"])
    with pytest.raises(RefusalError, match="backup_of_later_version"):
        upgrades.refuse_later_version(["workloads.0001_tables", "workloads.0901_later"])
