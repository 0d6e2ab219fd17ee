"""A foreign key that another index begins with has no index of its own."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("training_metrics", "0002_event_files"),
        ("workloads", "0023_foreign_keys_indexed_once"),
    ]

    operations = [
        migrations.AlterField(
            model_name="metricblock",
            name="series",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="blocks",
                to="training_metrics.metricseries",
            ),
        ),
        migrations.AlterField(
            model_name="metricseries",
            name="workload",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to="workloads.workload",
            ),
        ),
        migrations.AlterField(
            model_name="metricstream",
            name="workload",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to="workloads.workload",
            ),
        ),
    ]
