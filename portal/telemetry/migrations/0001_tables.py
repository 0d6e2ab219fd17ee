from django.db import migrations, models

from portal.common.clock import now
from portal.telemetry.tables import (
    CARD,
    HOUR,
    MINUTE,
    POOL,
    RAW,
    WORK,
    create_index_sql,
    create_partition_sql,
    create_table_sql,
)

def create_sample_tables(_apps, schema_editor):
    """Create the tables that are cut by time, with the parts of the present and the next span."""
    with schema_editor.connection.cursor() as cursor:
        for kind in (CARD, WORK, POOL):
            for level in (RAW, MINUTE, HOUR):
                if level not in kind.resolutions:
                    continue
                cursor.execute(create_table_sql(kind, level))
                cursor.execute(create_index_sql(kind, level))
                present = level.span_number(now())
                for number in (present, present + 1):
                    cursor.execute(create_partition_sql(kind, level, number))


class Migration(migrations.Migration):

    replaces = [('telemetry', '0001_sample_tables'), ('telemetry', '0002_pool_tables')]

    initial = True

    dependencies = [
    ]

    operations = [
        migrations.CreateModel(
            name='Summed',
            fields=[
                ('table', models.CharField(max_length=32, primary_key=True, serialize=False)),
                ('until', models.DateTimeField()),
            ],
        ),
        migrations.RunPython(create_sample_tables),
    ]
