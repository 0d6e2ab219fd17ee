"""Who may do what in the database: the processes use the tables, one of them makes partitions for samples.

The tables belong to the role that migrates. Nobody who runs changes them, or a line of the audit log.
"""

from collections.abc import Iterator
from typing import Final

from django.db import connection
from psycopg import sql

from deploy.server.faults import RefusalError

APPEND_ONLY: Final = ("audit_auditevent", "audit_auditseal")
CHANGES: Final = "UPDATE, DELETE, TRUNCATE"
SAMPLES: Final = "telemetry\\_%"
"""Names of the tables that the worker divides into partitions, and of which it drops the oldest."""
_PARTITIONED: Final = """
SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')
  AND relname LIKE %s ORDER BY relname
"""


def grant(app: str, keeper: str) -> None:
    """Give both roles what they need of all tables there are, and take what they must not have.

    Raises:
        RefusalError: one of them does not exist.
    """
    with connection.cursor() as cursor:
        for role in (app, keeper):
            cursor.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [role])
            if cursor.fetchone() is None:
                raise RefusalError("role_missing", role=role)
        cursor.execute(_PARTITIONED, [SAMPLES])
        samples = [name for (name,) in cursor.fetchall()]
        for statement in statements(sql.Identifier(app), sql.Identifier(keeper), samples):
            cursor.execute(statement)


def statements(
    app: sql.Identifier, keeper: sql.Identifier, samples: list[str]
) -> Iterator[sql.Composed]:
    """Yield what the owner of the tables says, the same however often; `samples` are tables by name."""
    owner = sql.SQL("CURRENT_USER")
    both = sql.SQL(", ").join((app, keeper))
    for role in (owner, keeper):
        yield sql.SQL(
            "ALTER DEFAULT PRIVILEGES FOR ROLE {} IN SCHEMA public"
            " GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO {}"
        ).format(role, both)
    for what, right in (
        ("ALL TABLES", "SELECT, INSERT, UPDATE, DELETE"),
        ("ALL SEQUENCES", "USAGE, SELECT"),
    ):
        yield sql.SQL(f"GRANT {right} ON {what} IN SCHEMA public TO {{}}").format(both)
    yield sql.SQL("GRANT USAGE ON SCHEMA public TO {}").format(both)
    for name in APPEND_ONLY:
        table = sql.Identifier(name)
        yield sql.SQL("REVOKE {} ON {} FROM {}").format(sql.SQL(CHANGES), table, both)
    yield sql.SQL("GRANT CREATE ON SCHEMA public TO {}").format(keeper)
    for name in samples:
        table = sql.Identifier(name)
        yield sql.SQL("ALTER TABLE {} OWNER TO {}").format(table, keeper)
