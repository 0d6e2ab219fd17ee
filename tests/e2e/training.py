"""What trainings need of the platform's data base: images of several ranks, and a past."""

from typing import Any, LiteralString

import psycopg

from deploy.onebox.stores import DATABASE, Stores
from tests.launcher import Launched


def offer_image(platform: Launched, name: str, reference: str) -> None:
    """Put an image on the platform's list, as an operator does."""
    _execute(
        platform,
        """
        INSERT INTO catalog_image
        SELECT (jsonb_populate_record(image, jsonb_build_object(
            'id', uuidv7(), 'name', %(name)s::text, 'reference', %(reference)s::text))).*
        FROM catalog_image image WHERE name = 'python'
        """,
        {"name": name, "reference": reference},
    )


def hold_gpus_since(platform: Launched, workload: str, minutes: int) -> None:
    """Let running work have held its GPUs for some minutes already."""
    _execute(
        platform,
        """
        UPDATE workloads_allocation SET gpus_since = now() - make_interval(mins => %(minutes)s)
        WHERE workload_id = %(workload)s AND released_at IS NULL
        """,
        {"workload": workload, "minutes": minutes},
    )


def _execute(platform: Launched, statement: LiteralString, params: dict[str, Any]) -> None:
    host = str(Stores(platform.data_dir).socket_dir / "pg")
    with psycopg.connect(host=host, user="postgres", dbname=DATABASE, autocommit=True) as database:
        database.execute(statement, params)
