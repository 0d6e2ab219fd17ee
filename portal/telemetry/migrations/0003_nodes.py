"""What the hosts of nodes use is kept like the samples of cards."""

from django.db import migrations

from portal.common.clock import now
from portal.telemetry.tables import NODE, create_index_sql, create_partition_sql, create_table_sql


def create_node_tables(apps, schema_editor):
    """Create the tables, with the parts of the present and the next span."""
    with schema_editor.connection.cursor() as cursor:
        for resolution in NODE.resolutions:
            cursor.execute(create_table_sql(NODE, resolution))
            cursor.execute(create_index_sql(NODE, resolution))
            present = resolution.span_number(now())
            for number in (present, present + 1):
                cursor.execute(create_partition_sql(NODE, resolution, number))


def drop_node_tables(apps, schema_editor):
    """Drop what was kept of hosts."""
    tables = [NODE.table_name(resolution) for resolution in NODE.resolutions]
    for table in tables:
        schema_editor.execute(f"DROP TABLE {table}")
    apps.get_model("telemetry", "Summed").objects.filter(pk__in=tables).delete()


class Migration(migrations.Migration):
    dependencies = [
        ("telemetry", "0002_days"),
    ]

    operations = [
        migrations.RunPython(create_node_tables, drop_node_tables),
    ]
