"""Backups: a consistent dump beside a list of what the storage held then; restored into an empty database only.

A backup is a folder, whole or not there: `database.dump` and `manifest.json`. Files of people are backed up
as on any file server; the list shows afterwards what of them the database will not know, or will miss.
"""

import hashlib
import os
import shutil
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, Final

import psycopg
from psycopg import sql
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from deploy.server.faults import RefusalError, ServerFault
from deploy.server.postgres_tools import run_tool

DUMP: Final = "database.dump"
MANIFEST: Final = "manifest.json"
FORMAT: Final = 1
STORAGE: Final = ("volumes", "workspaces", "outputs", "published", "logs")
"""Folders of the storage of which each entry belongs to a row."""
COUNTED: Final = {
    "workloads": "SELECT count(*) FROM workloads_workload",
    "live": "SELECT count(*) FROM workloads_allocation WHERE state IN ('reserved', 'bound')",
    "nodes": "SELECT count(*) FROM inventory_node",
    "audit_events": "SELECT count(*) FROM audit_auditevent",
}
SHOWN_MAX: Final = 10
"""Names of folders in one line."""
_HEADS: Final = "SELECT app || '.' || max(name) FROM django_migrations GROUP BY app ORDER BY 1"
_TABLES: Final = """
SELECT count(*) FROM pg_class WHERE relkind IN ('r', 'p', 'S', 'v')
  AND relnamespace = 'public'::regnamespace
"""


class BackupManifest(BaseModel):
    """What a backup holds, and of when it is."""

    model_config = ConfigDict(extra="forbid")

    format: Annotated[int, Field(ge=FORMAT, le=FORMAT)] = FORMAT
    made_at: datetime
    postgres: int
    """Major version of the server."""
    dump_bytes: int
    dump_sha256: str
    counts: dict[str, int]
    migrations: list[str]
    """The newest migration of each app."""
    storage: dict[str, list[str]]
    """Names below each folder of the storage."""


def back_up(url: str, storage: Path, into: Path, tools: Path | None = None) -> Path:
    """Write a backup below a folder, and return its own folder.

    Dump and counts see the same moment; the storage is listed after it, so it may hold more.

    Raises:
        RefusalError: `pg_dump` is missing, older than the server, or failed.
        OSError: there is no room, or the folder cannot be written.
    """
    into.mkdir(mode=0o700, parents=True, exist_ok=True)
    with psycopg.connect(url) as connection:
        connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        made_at, postgres, snapshot = _one(
            connection,
            "SELECT clock_timestamp(), current_setting('server_version_num')::int / 10000,"
            " pg_export_snapshot()",
        )
        folder = into / f"berth-{made_at.astimezone(UTC):%Y%m%dT%H%M%SZ}"
        if folder.exists():
            raise RefusalError("path_exists", path=folder)
        draft = folder.with_suffix(".partial")
        shutil.rmtree(draft, ignore_errors=True)
        draft.mkdir(mode=0o700)
        dump = draft / DUMP
        arguments = ["--format=custom", f"--snapshot={snapshot}", f"--file={dump}"]
        run_tool("pg_dump", arguments, url, tools)
        manifest = BackupManifest(
            made_at=made_at,
            postgres=postgres,
            dump_bytes=dump.stat().st_size,
            dump_sha256=_digest(dump),
            counts={name: _one(connection, query)[0] for name, query in COUNTED.items()},
            migrations=[row[0] for row in connection.execute(_HEADS)],
            storage=list_storage(storage),
        )
    _keep(draft / MANIFEST, manifest.model_dump_json(indent=2))
    _sync(dump)
    draft.rename(folder)
    _sync(into)
    return folder


def read_backup(folder: Path) -> BackupManifest:
    """Return the manifest of a backup whose dump is what was written.

    Raises:
        RefusalError: it is no whole backup, or not the one that was made.
    """
    try:
        manifest = BackupManifest.model_validate_json((folder / MANIFEST).read_bytes())
        digest = _digest(folder / DUMP)
    except (OSError, ValidationError) as error:
        reason = error.strerror if isinstance(error, OSError) else "manifest.json"
        raise RefusalError("backup_unreadable", path=folder, reason=reason) from error
    if digest != manifest.dump_sha256:
        raise RefusalError("backup_damaged", path=folder)
    return manifest


def compare_storage(manifest: BackupManifest, storage: Path) -> list[ServerFault]:
    """Return what the storage holds now and the backup does not know, and what it would miss."""
    found = list_storage(storage)
    lines = []
    for name, before in manifest.storage.items():
        now = found.get(name, [])
        for code, names in (
            ("storage_newer", sorted(set(now) - set(before))),
            ("storage_missing", sorted(set(before) - set(now))),
        ):
            if names:
                params = {"folder": name, "count": len(names), "names": _shown(names)}
                lines.append(ServerFault(code, params))
    return lines


def require_empty(url: str) -> None:
    """Raise `RefusalError` unless the database of a URL has no table."""
    with psycopg.connect(url) as connection:
        (tables,) = _one(connection, _TABLES)
    if tables:
        raise RefusalError("database_not_empty", tables=tables)


def restore(folder: Path, url: str, tools: Path | None = None) -> None:
    """Bring the dump into an empty database, all of it or nothing; raises `RefusalError`.

    Its rows belong to who restores. The epoch jump is not part of it: `after_restore` comes next.
    """
    require_empty(url)
    arguments = ["--exit-on-error", "--single-transaction", "--no-owner", "--no-privileges"]
    dbname = psycopg.conninfo.conninfo_to_dict(url)["dbname"]
    run_tool("pg_restore", [*arguments, f"--dbname={dbname}", str(folder / DUMP)], url, tools)


def list_storage(storage: Path) -> dict[str, list[str]]:
    """Return the names below each folder of the storage that is there."""
    return {
        name: sorted(entry.name for entry in os.scandir(storage / name))
        for name in STORAGE
        if (storage / name).is_dir()
    }


def _one(connection: "psycopg.Connection[Any]", query: str) -> Sequence[Any]:
    found: Sequence[Any] | None = connection.execute(sql.SQL(query)).fetchone()
    return found or ()


def _shown(names: Sequence[str]) -> str:
    more = ", …" if len(names) > SHOWN_MAX else ""
    return ", ".join(names[:SHOWN_MAX]) + more


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _keep(path: Path, content: str) -> None:
    path.write_text(content, encoding="utf-8")
    _sync(path)


def _sync(path: Path) -> None:
    """Have a file or folder written to the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
