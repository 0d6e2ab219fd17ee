"""Fills the platform's database with the past of a busy lab."""

from pathlib import Path

import psycopg

from deploy.onebox.stores import DATABASE, Stores

COPY_PAST = """
INSERT INTO workloads_workload
SELECT (jsonb_populate_record(past, jsonb_build_object(
    'id', uuidv7(make_interval(secs => number - %(count)s)), 'name', 'past ' || number))).*
FROM workloads_workload past, generate_series(1, %(count)s) number
WHERE past.id = %(template)s
"""


def multiply(data_dir: Path, template: str, count: int) -> None:
    """Insert that many copies of one ended workload, older than everything that is there."""
    host = str(Stores(data_dir).socket_dir / "pg")
    with psycopg.connect(host=host, user="postgres", dbname=DATABASE, autocommit=True) as database:
        database.execute(COPY_PAST, {"count": count, "template": template})
        database.execute("ANALYZE")
