"""All writes of the product."""

from functools import cache

from django.apps import apps

from tests.architecture.sources import PRODUCT, Source, sources
from tests.architecture.writers.found import Found
from tests.architecture.writers.orm import writes_by_models
from tests.architecture.writers.sql import writes_by_sql


@cache
def everything_written() -> tuple[Found, ...]:
    """Return every write of the product, in the order of its files."""
    tables = {model._meta.db_table for model in apps.get_models(include_auto_created=True)}
    return tuple(
        found
        for source in sources(PRODUCT)
        for found in (
            *writes_by_sql(source, tables),
            *(
                writes_by_models(source)
                if source.path.startswith(("portal/", "scheduler/"))
                else ()
            ),
        )
    )


def _may_know_models(source: Source) -> bool:
    """Tell whether a module may import what writes rows; contracts keep it from the others."""
    return source.path.startswith(("portal/", "scheduler/runtime/"))
