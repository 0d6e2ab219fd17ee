"""The tools of PostgreSQL: found beside the server's own or on the path, called without a password in sight."""

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from psycopg.conninfo import conninfo_to_dict

from deploy.server.faults import RefusalError

_VARIABLES: Final = {
    "host": "PGHOST",
    "port": "PGPORT",
    "user": "PGUSER",
    "password": "PGPASSWORD",
    "dbname": "PGDATABASE",
    "sslmode": "PGSSLMODE",
    "sslrootcert": "PGSSLROOTCERT",
    "target_session_attrs": "PGTARGETSESSIONATTRS",
}


def run_tool(name: str, arguments: Sequence[str], url: str, folder: Path | None = None) -> None:
    """Run `pg_dump` or `pg_restore` on the database of a URL; raises `RefusalError` with what it said.

    Who it is and with which password it finds in its environment: everybody can read a command line.
    """
    tool = find_tool(name, folder)
    given = {key: str(value) for key, value in conninfo_to_dict(url).items() if value is not None}
    environment = {_VARIABLES[key]: given[key] for key in _VARIABLES if key in given}
    done = subprocess.run(
        [tool, *arguments],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RefusalError("tool_failed", tool=name, reason=done.stderr.strip()[-2000:])


def find_tool(name: str, folder: Path | None = None) -> str:
    """Return the path of a tool, in a folder or on the path; raises `RefusalError`."""
    found = shutil.which(name, path=str(folder) if folder else None)
    if found is None:
        raise RefusalError("tool_missing", tool=name)
    return found
