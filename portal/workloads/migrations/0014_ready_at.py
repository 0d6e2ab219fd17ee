"""When a container was first ready. What runs already has been ready since it was seen to run."""

from django.db import migrations, models

READY = """
UPDATE workloads_allocation SET ready_at = started_at
WHERE state IN ('reserved', 'bound', 'lost') AND phase = 'running'
"""


class Migration(migrations.Migration):
    dependencies = [("workloads", "0013_web_apps")]

    operations = [
        migrations.AddField(
            model_name="allocation", name="ready_at", field=models.DateTimeField(null=True)
        ),
        migrations.RunSQL(READY, migrations.RunSQL.noop),
    ]
