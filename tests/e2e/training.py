"""The images that trainings of several ranks need."""

import psycopg

from deploy.onebox.stores import DATABASE, Stores
from tests.launcher import Launched


def offer_image(platform: Launched, name: str, reference: str) -> None:
    """Put an image on the platform's list, as an operator does."""
    host = str(Stores(platform.data_dir).socket_dir / "pg")
    with psycopg.connect(host=host, user="postgres", dbname=DATABASE, autocommit=True) as database:
        database.execute(
            """
            INSERT INTO catalog_image
            SELECT (jsonb_populate_record(image, jsonb_build_object(
                'id', uuidv7(), 'name', %(name)s::text, 'reference', %(reference)s::text))).*
            FROM catalog_image image WHERE name = 'python'
            """,
            {"name": name, "reference": reference},
        )
