"""A backup of a real database beside a real folder, and its way into an empty one."""

import json
import os
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from deploy.server import backups
from deploy.server.faults import RefusalError
from portal.audit.models import AuditEvent
from tests.builders.scenes import a_scene
from tests.deploy.server.databases import (
    berth_server,
    empty_database,
    present_url,
)
from tests.stores import postgres_tools

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def storage(tmp_path: Path) -> Path:
    for name in ("volumes/one", "workspaces/two", "outputs"):
        (tmp_path / "storage" / name).mkdir(parents=True)
    return tmp_path / "storage"


@pytest.fixture
def target() -> Iterator[str]:
    with empty_database() as url:
        yield url


@pytest.fixture
def backup(storage: Path, tmp_path: Path) -> Path:
    """A backup of a site with a node and a line in the audit log."""
    a_scene()
    AuditEvent.objects.create(action="tests.act", actor_kind="system", object_type="tests")
    return backups.back_up(present_url(), storage, tmp_path / "backups", postgres_tools())


def refusal(code: str) -> "pytest.RaisesExc[RefusalError]":
    return pytest.raises(RefusalError, match=f"^{code}$")


def test_a_backup_is_one_private_folder_with_a_manifest_of_the_same_moment(backup: Path) -> None:
    manifest = backups.read_backup(backup)
    assert {path.name for path in backup.iterdir()} == {backups.DUMP, backups.MANIFEST}
    assert stat.S_IMODE(backup.stat().st_mode) == 0o700
    assert manifest.counts["nodes"] > 0
    assert manifest.counts["audit_events"] == AuditEvent.objects.count()
    assert manifest.storage == {"volumes": ["one"], "workspaces": ["two"], "outputs": []}
    assert any(name.startswith("workloads.") for name in manifest.migrations)
    assert manifest.dump_bytes == (backup / backups.DUMP).stat().st_size


def test_a_backup_that_fails_leaves_no_folder_that_looks_whole(
    storage: Path, tmp_path: Path
) -> None:
    tools, into = tmp_path / "tools", tmp_path / "backups"
    tools.mkdir()
    with refusal("tool_missing"):
        backups.back_up(present_url(), storage, into, tools)
    (tools / "pg_dump").write_text("#!/bin/sh\necho no room left >&2\nexit 1\n")
    (tools / "pg_dump").chmod(0o755)
    with refusal("tool_failed") as failed:
        backups.back_up(present_url(), storage, into, tools)
    assert failed.value.fault.params["reason"] == "no room left"
    assert all(path.name.endswith(".partial") for path in into.iterdir())


def test_the_password_is_in_no_command_line(storage: Path, tmp_path: Path) -> None:
    tools = tmp_path / "tools"
    tools.mkdir()
    shutil.copy(os.path.realpath("/bin/sh"), tools / "sh")
    (tools / "pg_dump").write_text('#!/bin/sh\necho "$* | $PGPASSWORD" >&2\nexit 1\n')
    (tools / "pg_dump").chmod(0o755)
    url = present_url().replace("postgres@", "postgres:a-password-of-tests@")
    with refusal("tool_failed") as failed:
        backups.back_up(url, storage, tmp_path / "backups", tools)
    line, _, given = str(failed.value.fault.params["reason"]).partition(" | ")
    assert "a-password-of-tests" not in line
    assert given == "a-password-of-tests"


def test_a_damaged_dump_and_a_folder_that_is_no_backup_are_refused(
    backup: Path, tmp_path: Path
) -> None:
    with (backup / backups.DUMP).open("ab") as dump:
        dump.write(b"more")
    with refusal("backup_damaged"):
        backups.read_backup(backup)
    (backup / backups.MANIFEST).write_text(json.dumps({"format": 2}))
    with refusal("backup_unreadable"):
        backups.read_backup(backup)
    with refusal("backup_unreadable"):
        backups.read_backup(tmp_path)


def test_what_the_storage_holds_besides_and_what_it_lacks_are_listed(
    backup: Path, storage: Path
) -> None:
    (storage / "workspaces" / "later").mkdir()
    (storage / "volumes" / "one").rmdir()
    found = backups.compare_storage(backups.read_backup(backup), storage)
    assert [(fault.code, fault.params) for fault in found] == [
        ("storage_missing", {"folder": "volumes", "count": 1, "names": "one"}),
        ("storage_newer", {"folder": "workspaces", "count": 1, "names": "later"}),
    ]


def test_a_restore_shows_first_what_it_would_do_and_then_jumps_the_epochs(
    backup: Path, storage: Path, target: str
) -> None:
    (storage / "workspaces" / "later").mkdir()
    given = {"BERTH_STORAGE_DIR": str(storage)}

    shown = berth_server("restore", backup, "--tools", postgres_tools(), url=target, given=given)
    assert shown.returncode == 1
    assert "not_confirmed" in shown.stderr
    assert "storage_newer: workspaces holds 1 folders" in shown.stdout
    backups.require_empty(target)

    done = berth_server(
        "restore", backup, "--tools", postgres_tools(), "--confirm", url=target, given=given
    )
    assert done.returncode == 0, done.stderr
    assert "recovery: under way" in done.stdout
    with psycopg.connect(target) as restored:
        query = "SELECT action FROM audit_auditevent ORDER BY id DESC LIMIT 2"
        assert [row[0] for row in restored.execute(query)] == ["recovery.begin", "tests.act"]

    again = berth_server(
        "restore", backup, "--tools", postgres_tools(), "--confirm", url=target, given=given
    )
    assert again.returncode == 1
    assert "database_not_empty" in again.stderr
