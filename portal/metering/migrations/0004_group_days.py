"""Days are summed up by group; those that were counted before are summed up here.

A meter of the version before that runs once more meanwhile changes amounts of the last day only, which
the next run derives again.
"""

from typing import Final

from django.db import migrations, models

AMOUNTS: Final = (
    *("gpu_milli_ms", "fraction_milli_ms", "gpu_memory_mib_ms", "cpu_milli_ms", "memory_mib_ms"),
    *("sampled_milli_ms", "idle_milli_ms", "busy_milli_ms"),
    *("measured_milli_ms", "energy_mj", "carbon_mg"),
)
SUM: Final = f"""
INSERT INTO metering_usagegroupday (day, group_id, model, {", ".join(AMOUNTS)})
SELECT day, group_id, model, {", ".join(f"sum({name})::bigint" for name in AMOUNTS)}
FROM metering_usageday GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
"""


class Migration(migrations.Migration):
    dependencies = [
        ("metering", "0003_succeeded"),
    ]

    operations = [
        migrations.CreateModel(
            name="UsageGroupDay",
            fields=[
                ("gpu_milli_ms", models.BigIntegerField()),
                ("fraction_milli_ms", models.BigIntegerField()),
                ("gpu_memory_mib_ms", models.BigIntegerField()),
                ("cpu_milli_ms", models.BigIntegerField()),
                ("memory_mib_ms", models.BigIntegerField()),
                ("sampled_milli_ms", models.BigIntegerField()),
                ("idle_milli_ms", models.BigIntegerField()),
                ("busy_milli_ms", models.BigIntegerField()),
                ("measured_milli_ms", models.BigIntegerField(db_default=0, default=0)),
                ("energy_mj", models.BigIntegerField(db_default=0, default=0)),
                ("carbon_mg", models.BigIntegerField(null=True)),
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("day", models.DateField()),
                ("group_id", models.UUIDField()),
                ("model", models.CharField(blank=True, max_length=100)),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("day", "group_id", "model"), name="usage_group_day_once"
                    )
                ],
            },
        ),
        migrations.RunSQL(SUM, migrations.RunSQL.noop),
    ]
