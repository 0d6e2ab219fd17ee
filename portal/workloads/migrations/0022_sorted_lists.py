"""Lists can be sorted by name and by state."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("workloads", "0021_web_apps")]
    operations = [
        migrations.AddIndex(
            "workload", models.Index(fields=["name", "id"], name="workload_by_name")
        ),
        migrations.AddIndex(
            "workload", models.Index(fields=["state", "id"], name="workload_by_state")
        ),
    ]
