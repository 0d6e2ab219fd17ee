"""Databases of their own on the server of the tests, and `berth-server` run on them as a process."""

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import psycopg
from django.db import connection
from psycopg import sql

from deploy.onebox.options import REPOSITORY
from deploy.server import roles
from portal.common.ids import new_id
from tests.stores import ensure_postgres

STRONG = "0123456789abcdef" * 4


def url_of(database: str) -> str:
    """Return the address of a database on the server of the tests."""
    return urlunsplit(urlsplit(os.environ["BERTH_DATABASE_URL"])._replace(path=f"/{database}"))


def present_url() -> str:
    """Return the address of the database of the running test."""
    return url_of(connection.settings_dict["NAME"])


@contextmanager
def empty_database() -> Iterator[str]:
    """Make an empty database and yield its address."""
    ensure_postgres()
    name = f"berth_{new_id().hex[-12:]}"
    with closing(psycopg.connect(url_of("postgres"), autocommit=True)) as server:
        server.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        try:
            yield url_of(name)
        finally:
            server.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


def berth_server(
    *arguments: str | Path, url: str, given: Mapping[str, str] | None = None
) -> "subprocess.CompletedProcess[str]":
    """Run a command to its end on a database."""
    environment = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "portal.config.settings.base",
        "BERTH_DATABASE_URL": url,
        "BERTH_SECRET_KEY": STRONG,
        "LANG": "C",
        **(given or {}),
    }
    return subprocess.run(
        [sys.executable, "-m", "deploy.server", *map(str, arguments)],
        cwd=REPOSITORY,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


@dataclass(frozen=True)
class Granted:
    """The roles of an installation."""

    app: str
    keeper: str


def granted_roles() -> Granted:
    """Make the roles of an installation in the transaction of the running test."""
    made = Granted(*(f"{name}_{new_id().hex[-8:]}" for name in ("app", "keeper")))
    with connection.cursor() as cursor:
        for role in (made.app, made.keeper):
            cursor.execute(f"CREATE ROLE {role}")
    roles.grant(made.app, made.keeper)
    return made


def become(role: str) -> None:
    """Go on as a role, to the end of the transaction."""
    with connection.cursor() as cursor:
        cursor.execute(f"SET LOCAL ROLE {role}")
