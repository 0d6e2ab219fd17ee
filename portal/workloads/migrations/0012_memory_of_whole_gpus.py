"""Live allocations of whole GPUs and of MIG instances hold the memory of these, as new ones do.

The counters of quotas follow with the next recount.
"""

from django.db import migrations

HELD = """
UPDATE workloads_allocation held SET total_gpu_memory_mib = found.memory_mib
FROM (
    SELECT device.allocation_id,
        sum(CASE WHEN card.slices = 1 THEN card.slice_mib ELSE card.memory_mib END) AS memory_mib
    FROM (
        SELECT DISTINCT allocation_id, accelerator_id FROM workloads_allocationdevice
        WHERE released_at IS NULL
    ) device
    JOIN inventory_accelerator card ON card.id = device.accelerator_id
    GROUP BY device.allocation_id
) found, workloads_workload work
WHERE found.allocation_id = held.id AND work.id = held.workload_id AND work.gpus > 0
    AND held.state IN ('reserved', 'bound', 'lost')
"""
INSTANCES = """
UPDATE workloads_allocation held SET total_gpu_memory_mib = (profile ->> 'memory_mib')::int
FROM workloads_allocationdevice device, inventory_accelerator card, workloads_workload work,
    LATERAL jsonb_array_elements(card.mig_profiles) profile
WHERE device.allocation_id = held.id AND device.released_at IS NULL
    AND card.id = device.accelerator_id AND work.id = held.workload_id
    AND work.mig_profile <> '' AND profile ->> 'name' = work.mig_profile
    AND held.state IN ('reserved', 'bound', 'lost')
"""


class Migration(migrations.Migration):
    dependencies = [
        ("inventory", "0006_retests_of_cards"),
        ("workloads", "0011_gpu_is_the_unit"),
    ]

    operations = [
        migrations.RunSQL(HELD, migrations.RunSQL.noop),
        migrations.RunSQL(INSTANCES, migrations.RunSQL.noop),
    ]
