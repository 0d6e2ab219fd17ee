"""PostgreSQL and Redis of a benchmark, with a site in them: durable, as an installation has them."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import psycopg

from portal.config.garbage import spare_loaded
from portal.config.settings import test as settings  # names the stores, so it comes first
from tests import stores

_DURABLE: Final = ("fsync", "synchronous_commit", "full_page_writes")


@contextmanager
def prepared() -> Iterator[None]:
    """Start both stores, write the tables and be ready for Django's models; stop at the end.

    Commits wait for the disk, and run times are learned as seldom as there, unlike in the tests.
    """
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "portal.config.settings.test")
    import django  # noqa: PLC0415 - the stores must be named before anything reads the settings

    from portal.config.settings import base  # noqa: PLC0415

    settings.SITE = base.SITE

    try:
        host = str(settings.DATABASES["default"]["HOST"])
        stores.ensure_postgres()
        stores.ensure_redis()
        with psycopg.connect(host=host, user="postgres", dbname="postgres", autocommit=True) as db:
            for name in _DURABLE:
                db.execute(f"ALTER SYSTEM SET {name} = on")
            db.execute("SELECT pg_reload_conf()")
            db.execute("CREATE DATABASE berth")
        django.setup()
        from django.core.management import call_command  # noqa: PLC0415

        call_command("migrate", verbosity=0)
        yield
    finally:
        from django.db import connections  # noqa: PLC0415

        connections.close_all()
        stores.stop_all()


def keep_loaded() -> None:
    """Load every view, and take what is in memory from the garbage collector, as the web process does."""
    from django.urls import resolve  # noqa: PLC0415 - after `prepared`

    resolve("/livez")
    spare_loaded()
