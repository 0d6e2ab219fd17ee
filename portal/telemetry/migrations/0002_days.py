"""Samples are rolled up by the day; the hours that are there are rolled up here.

The version before this one adds hours meanwhile: the next run of rolling up goes on behind these.
"""

from django.db import migrations

from portal.common.clock import now
from portal.telemetry.tables import (
    CARD,
    DAY,
    EPOCH,
    HOUR,
    POOL,
    WORK,
    create_index_sql,
    create_partition_sql,
    create_table_sql,
    roll_up_sql,
)

KINDS = (CARD, WORK, POOL)


def roll_days_up(apps, schema_editor):
    """Create the tables and fill them, a partition at a time: large sites have millions of hours."""
    summed = apps.get_model("telemetry", "Summed").objects
    with schema_editor.connection.cursor() as cursor:
        cursor.execute("SET LOCAL statement_timeout = 0")
        for kind in KINDS:
            cursor.execute(create_table_sql(kind, DAY))
            cursor.execute(create_index_sql(kind, DAY))
            hours = summed.filter(pk=kind.table_name(HOUR)).first()
            until = EPOCH + (hours.until - EPOCH) // DAY.step * DAY.step if hours else EPOCH
            for number in sorted(_partitions(cursor, kind)):
                cursor.execute(create_partition_sql(kind, DAY, number))
                begin = EPOCH + number * DAY.span
                end = min(begin + DAY.span, until)
                if begin < end:
                    cursor.execute(roll_up_sql(kind, DAY), [begin, end])
            if hours:
                summed.create(pk=kind.table_name(DAY), until=until)


def _partitions(cursor, kind):
    """Return the numbers of the partitions of hours, and of those that come next."""
    table = kind.table_name(HOUR)
    cursor.execute(
        "SELECT inhrelid::regclass::text FROM pg_inherits WHERE inhparent = %s::regclass", [table]
    )
    present = DAY.span_number(now())
    return {int(name.removeprefix(f"{table}_")) for (name,) in cursor} | {present, present + 1}


def drop_days(apps, schema_editor):
    """Drop what has been rolled up by the day."""
    tables = [kind.table_name(DAY) for kind in KINDS]
    for table in tables:
        schema_editor.execute(f"DROP TABLE {table}")
    apps.get_model("telemetry", "Summed").objects.filter(pk__in=tables).delete()


class Migration(migrations.Migration):
    dependencies = [
        ("telemetry", "0001_tables"),
    ]

    operations = [
        migrations.RunPython(roll_days_up, drop_days),
    ]
