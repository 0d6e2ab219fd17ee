"""The roles as the compose file has them made, on a real server: from an empty one to a clean `check`."""

import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import psycopg
import pytest
from psycopg.errors import InsufficientPrivilege

from deploy.onebox.options import REPOSITORY
from deploy.server import answers
from portal.telemetry.tables import CARD, RAW, create_partition_sql
from tests.deploy.server.databases import berth_server, url_of
from tests.stores import POSTGRES_FOLDER, ensure_postgres, postgres_tools

ROLES = (answers.OWNER, answers.APP_ROLE, answers.KEEPER_ROLE)


@pytest.fixture
def secrets(tmp_path: Path) -> Path:
    answers.write_answers(tmp_path, {})
    return tmp_path / answers.SECRETS


@pytest.fixture
def _made(secrets: Path) -> Iterator[None]:
    """Run the script as the image of PostgreSQL does once."""
    ensure_postgres()
    try:
        subprocess.run(
            [REPOSITORY / "deploy" / "postgres" / "roles.sh"],
            env={
                "PATH": f"{postgres_tools()}:/usr/bin:/bin",
                "PGHOST": str(POSTGRES_FOLDER),
                "BERTH_SECRET_FILES": str(secrets),
            },
            check=True,
        )
        yield
    finally:
        with closing(psycopg.connect(url_of("postgres"), autocommit=True)) as server:
            server.execute("DROP DATABASE IF EXISTS berth WITH (FORCE)")
            for role in ROLES:
                server.execute(f"DROP ROLE IF EXISTS {role}")


def as_role(role: str) -> str:
    parts = urlsplit(url_of("berth"))
    return urlunsplit(parts._replace(netloc=parts.netloc.replace("postgres@", f"{role}@")))


@pytest.mark.timeout(600)
@pytest.mark.usefixtures("_made")
def test_the_tables_are_made_by_their_owner_and_the_processes_have_no_right_too_many() -> None:
    owner, app = as_role(answers.OWNER), as_role(answers.APP_ROLE)
    granted = ("--app-role", answers.APP_ROLE, "--keeper-role", answers.KEEPER_ROLE)
    for _ in range(2):  # compose does it at every start
        migrated = berth_server("migrate", *granted, url=owner)
        assert migrated.returncode == 0, migrated.stderr

    checked = berth_server("check", "--before-start", url=app)
    named = {line.partition(":")[0] for line in checked.stderr.splitlines()}
    assert not named & {"role_is_superuser", "role_changes_tables", "role_changes_audit_log"}
    assert "migrations_missing" not in named
    with psycopg.connect(as_role(answers.KEEPER_ROLE)) as keeper:
        keeper.execute(create_partition_sql(CARD, RAW, 1))
        keeper.execute(f"DROP TABLE {CARD.table_name(RAW)}_1")
    with psycopg.connect(app) as database, pytest.raises(InsufficientPrivilege):
        database.execute(create_partition_sql(CARD, RAW, 1))
