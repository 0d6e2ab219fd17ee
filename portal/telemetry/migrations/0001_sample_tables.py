"""Tables of samples, cut by time, and how far they have been summed up."""

from django.db import migrations, models

from portal.common.clock import now
from portal.telemetry.tables import (CARD, RESOLUTIONS, WORK, create_index_sql, create_partition_sql, create_table_sql)


def create(apps, schema_editor):
    with schema_editor.connection.cursor() as cursor:
        for kind in (CARD, WORK):
            for level in RESOLUTIONS:
                cursor.execute(create_table_sql(kind, level))
                cursor.execute(create_index_sql(kind, level))
                present = level.span_number(now())
                for number in (present, present + 1):
                    cursor.execute(create_partition_sql(kind, level, number))


def drop(apps, schema_editor):
    with schema_editor.connection.cursor() as cursor:
        for kind in (CARD, WORK):
            for level in RESOLUTIONS:
                cursor.execute(f"DROP TABLE {kind.table_name(level)}")


class Migration(migrations.Migration):
    initial = True

    dependencies = []

    operations = [
        migrations.CreateModel(
            name="Summed",
            fields=[
                (
                    "table",
                    models.CharField(max_length=32, primary_key=True, serialize=False),
                ),
                ("until", models.DateTimeField()),
            ],
        ),
        migrations.RunPython(create, drop),
    ]
