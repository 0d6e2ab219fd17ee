"""Tables of pools, added up from their cards."""

from django.db import migrations

from portal.common.clock import now
from portal.telemetry.tables import POOL, create_index_sql, create_partition_sql, create_table_sql


def create(apps, schema_editor):
    with schema_editor.connection.cursor() as cursor:
        for level in POOL.resolutions:
            cursor.execute(create_table_sql(POOL, level))
            cursor.execute(create_index_sql(POOL, level))
            present = level.span_number(now())
            for number in (present, present + 1):
                cursor.execute(create_partition_sql(POOL, level, number))


def drop(apps, schema_editor):
    with schema_editor.connection.cursor() as cursor:
        for level in POOL.resolutions:
            cursor.execute(f"DROP TABLE {POOL.table_name(level)}")


class Migration(migrations.Migration):
    dependencies = [("telemetry", "0001_sample_tables")]

    operations = [migrations.RunPython(create, drop)]
