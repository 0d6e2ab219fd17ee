"""The image that a training of two ranks needs."""

from typing import Final

import psycopg

from deploy.onebox.stores import DATABASE, Stores
from tests.launcher import Launched
from tests.torch_image import IMAGE

NAME: Final = "torch"


def offer_image(platform: Launched) -> None:
    """Put the image with PyTorch on the platform's list, as an operator does."""
    host = str(Stores(platform.data_dir).socket_dir / "pg")
    with psycopg.connect(host=host, user="postgres", dbname=DATABASE, autocommit=True) as database:
        database.execute(
            """
            INSERT INTO catalog_image
            SELECT (jsonb_populate_record(image, jsonb_build_object(
                'id', uuidv7(), 'name', %(name)s::text, 'reference', %(reference)s::text))).*
            FROM catalog_image image WHERE name = 'python'
            """,
            {"name": NAME, "reference": IMAGE},
        )
