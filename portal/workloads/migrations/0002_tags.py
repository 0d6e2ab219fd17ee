"""Work has tags, by which lists find it."""

import django.contrib.postgres.fields
import django.contrib.postgres.indexes
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("workloads", "0001_tables"),
    ]

    operations = [
        migrations.AddField(
            model_name="workload",
            name="tags",
            field=django.contrib.postgres.fields.ArrayField(
                base_field=models.CharField(max_length=32),
                blank=True,
                db_default=[],
                default=list,
                size=None,
            ),
        ),
        migrations.AddIndex(
            model_name="workload",
            index=django.contrib.postgres.indexes.GinIndex(
                condition=models.Q(("tags", []), _negated=True),
                fields=["tags"],
                name="workload_by_tag",
            ),
        ),
    ]
