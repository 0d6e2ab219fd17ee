"""Each device says from when it is held and what it counts as: the ledger that the meter reads."""

from django.db import migrations, models

from portal.common.clock import now

# Between two GPU releases of one notebook only the last beginning is known: earlier devices are taken to
# be held from the start of their allocation.
FILL = """
UPDATE workloads_allocationdevice device SET
    held_from = CASE
        WHEN held.gpus_since IS NOT NULL
            AND (device.released_at IS NULL OR device.released_at > held.gpus_since)
        THEN held.gpus_since ELSE held.created_at END,
    counted_milli = CASE
        WHEN device.gpu_milli > 0 THEN device.gpu_milli
        ELSE 1000 / greatest(device.slices, 1) END
FROM workloads_allocation held WHERE held.id = device.allocation_id
"""


class Migration(migrations.Migration):
    dependencies = [("workloads", "0019_recovery")]
    operations = [
        migrations.AddField(
            "allocationdevice",
            "counted_milli",
            models.PositiveSmallIntegerField(default=0, db_default=0),
        ),
        migrations.AddField(
            "allocationdevice",
            "held_from",
            models.DateTimeField(default=now),
        ),
        migrations.RunSQL(FILL, migrations.RunSQL.noop),
        migrations.AddIndex(
            "allocation",
            models.Index(fields=["released_at"], name="allocation_by_release"),
        ),
    ]
