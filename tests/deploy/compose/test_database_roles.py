"""The roles as the compose file has them made, on a real server: by a role without rights of its own."""

import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import psycopg
import pytest
from psycopg import sql
from psycopg.errors import InsufficientPrivilege

from deploy.onebox.options import REPOSITORY
from deploy.server import answers, roles
from portal.telemetry.tables import CARD, RAW, create_partition_sql, create_table_sql
from tests.deploy.server.databases import url_of
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


@pytest.mark.usefixtures("_made")
def test_the_owner_is_no_superuser_and_says_who_may_do_what() -> None:
    app, keeper = sql.Identifier(answers.APP_ROLE), sql.Identifier(answers.KEEPER_ROLE)
    samples = CARD.table_name(RAW)
    with psycopg.connect(as_role(answers.OWNER)) as owner:
        for name in roles.APPEND_ONLY:
            owner.execute(f"CREATE TABLE {name} (id int)")
        owner.execute(create_table_sql(CARD, RAW))
    for _ in range(2):  # compose does it at every start
        with psycopg.connect(as_role(answers.OWNER)) as owner:
            for statement in roles.statements(app, keeper, [samples]):
                owner.execute(statement)

    with psycopg.connect(as_role(answers.KEEPER_ROLE)) as database:
        database.execute(create_partition_sql(CARD, RAW, 1))
    with psycopg.connect(as_role(answers.OWNER)) as owner:
        owner.execute(f"ALTER TABLE {samples} ADD COLUMN more bigint")
        owner.execute("CREATE TABLE later (id int)")
    with psycopg.connect(as_role(answers.APP_ROLE)) as database:
        database.execute(f"INSERT INTO {roles.APPEND_ONLY[0]} VALUES (1)")
        database.execute("INSERT INTO later VALUES (1)")
        database.execute(f"SELECT * FROM {samples}")
        with pytest.raises(InsufficientPrivilege), database.transaction():
            database.execute(create_partition_sql(CARD, RAW, 2))
        with pytest.raises(InsufficientPrivilege), database.transaction():
            database.execute(f"DELETE FROM {roles.APPEND_ONLY[0]}")
