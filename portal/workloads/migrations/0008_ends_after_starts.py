"""Nothing ends before it began. What did, by the clocks of two hosts, has lasted no time."""

from django.conf import settings
from django.db import migrations, models

CLEAN = """
UPDATE workloads_workload SET finished_at = started_at WHERE finished_at < started_at;
UPDATE workloads_allocation SET finished_at = started_at WHERE finished_at < started_at;
UPDATE workloads_allocation SET released_at = created_at WHERE released_at < created_at;
UPDATE workloads_allocationdevice SET released_at = held_from WHERE released_at < held_from;
"""


class Migration(migrations.Migration):
    dependencies = [
        ("catalog", "0005_apps_with_hosts"),
        ("inventory", "0005_node_checks"),
        ("tenancy", "0001_tables"),
        ("workloads", "0007_billed_until"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.RunSQL(CLEAN, migrations.RunSQL.noop),
        migrations.AddConstraint(
            model_name="allocation",
            constraint=models.CheckConstraint(
                condition=models.Q(("finished_at__gte", models.F("started_at"))),
                name="allocation_ends_after_start",
            ),
        ),
        migrations.AddConstraint(
            model_name="allocation",
            constraint=models.CheckConstraint(
                condition=models.Q(("released_at__gte", models.F("created_at"))),
                name="allocation_released_after_made",
            ),
        ),
        migrations.AddConstraint(
            model_name="allocationdevice",
            constraint=models.CheckConstraint(
                condition=models.Q(("released_at__gte", models.F("held_from"))),
                name="device_released_after_held",
            ),
        ),
        migrations.AddConstraint(
            model_name="workload",
            constraint=models.CheckConstraint(
                condition=models.Q(("finished_at__gte", models.F("started_at"))),
                name="workload_ends_after_start",
            ),
        ),
    ]
