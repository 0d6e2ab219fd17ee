import django.contrib.postgres.fields
from django.db import migrations, models


FILL = """
UPDATE workloads_workload SET files = (
    SELECT coalesce(array_agg('dataset:' || name ORDER BY name), '{}')
    FROM jsonb_array_elements_text(spec -> 'datasets') AS used (name)
)
WHERE spec ? 'datasets' AND state NOT IN ('succeeded', 'failed', 'cancelled', 'expired')
"""


class Migration(migrations.Migration):
    dependencies = [
        ("workloads", "0017_must_end_at"),
    ]

    operations = [
        migrations.AddField(
            model_name="workload",
            name="files",
            field=django.contrib.postgres.fields.ArrayField(
                base_field=models.CharField(max_length=80), blank=True, default=list, size=None
            ),
        ),
        migrations.RunSQL(FILL, migrations.RunSQL.noop),
    ]
