"""Sessions of web apps: work of a kind of its own, which names its app and the folder that it shows."""

import django.db.models.deletion
from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = [("catalog", "0003_web_apps"), ("workloads", "0020_ledger_of_devices")]
    operations = [
        migrations.AlterField(
            "workload",
            "kind",
            models.CharField(
                choices=[("environment", "Environment"), ("training", "Training"), ("app", "App")],
                max_length=16,
            ),
        ),
        migrations.AddField(
            "workload",
            "app",
            models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="catalog.webapp",
            ),
        ),
        migrations.AddField(
            "workload",
            "app_folder",
            models.CharField(blank=True, db_default="", default="", max_length=481),
        ),
        migrations.AddConstraint(
            "workload",
            models.CheckConstraint(
                condition=Q(("app__isnull", False), ("kind", "app"))
                | Q(Q(("kind", "app"), _negated=True), ("app", None)),
                name="workload_app_is_named",
            ),
        ),
        migrations.AddConstraint(
            "workload",
            models.UniqueConstraint(
                condition=Q(
                    ("kind", "app"),
                    ("state__in", ["queued", "placing", "starting", "running"]),
                ),
                fields=("owner", "app", "app_folder"),
                name="workload_one_session_per_folder",
            ),
        ),
    ]
