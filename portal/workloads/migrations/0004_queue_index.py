"""The overview finds what has waited longest, and counts the queue, without reading its rows."""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("workloads", "0003_active_by_kind"),
    ]

    operations = [
        AddIndexConcurrently(
            model_name="workload",
            index=models.Index(
                condition=models.Q(("state", "queued")),
                fields=["queued_at", "id"],
                include=["pool", "group"],
                name="workload_queued",
            ),
        ),
    ]
