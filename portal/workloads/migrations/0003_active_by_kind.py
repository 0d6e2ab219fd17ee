"""Lists of unfinished work of one kind find it without reading what has ended."""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("workloads", "0002_tags"),
    ]

    operations = [
        AddIndexConcurrently(
            model_name="workload",
            index=models.Index(
                condition=models.Q(
                    ("state__in", ["succeeded", "failed", "cancelled", "expired"]), _negated=True
                ),
                fields=["kind", "id"],
                name="workload_active_by_kind",
            ),
        ),
    ]
