"""The unit is the GPU: columns, constraints and stored objects say so; `card` stays the physical board."""

from django.db import migrations, models
from django.db.models import F, Q

SHARES = """
CREATE OR REPLACE FUNCTION device_shares_fit() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    room bigint;
    milli bigint;
    mib bigint;
    whole bigint;
BEGIN
    SELECT slice_mib INTO room FROM inventory_accelerator
        WHERE id = NEW.accelerator_id FOR NO KEY UPDATE;
    SELECT coalesce(sum({column}), 0), coalesce(sum(memory_mib) FILTER (WHERE {column} > 0), 0),
            count(*) FILTER (WHERE {column} = 0)
        INTO milli, mib, whole FROM workloads_allocationdevice
        WHERE accelerator_id = NEW.accelerator_id AND released_at IS NULL;
    IF milli > 1000 OR mib > room OR (whole > 0 AND milli > 0) THEN
        RAISE EXCEPTION 'shares of % thousandths and % of % MiB on one card', milli, mib, room
            USING ERRCODE = 'check_violation', CONSTRAINT = 'device_shares_fit';
    END IF;
    RETURN NULL;
END $$;
"""

GPU_STATES = {
    "leaving": "releasing",
    "away": "released",
    "asked": "requested",
    "returning": "restoring",
}
BOARD_KEYS = {
    "cards_total": "gpus_total",
    "cards_free": "gpus_free",
    "cards_lent": "gpus_lent",
    "cards_borrowed": "gpus_borrowed",
}


def _states(words) -> str:
    cases = " ".join(f"WHEN '{old}' THEN '{new}'" for old, new in words.items())
    return f"UPDATE workloads_idleness SET gpu_state = CASE gpu_state {cases} ELSE gpu_state END"


def _boards(keys) -> str:
    text = "boards::text"
    for old, new in keys.items():
        text = f"""replace({text}, '"{old}":', '"{new}":')"""
    return f"UPDATE workloads_schedulerpass SET boards = ({text})::jsonb"


def _reasons(old: str, new: str) -> str:
    return f"""
        UPDATE workloads_poolqueue SET answers =
            replace(answers::text, '"resource": "{old}"', '"resource": "{new}"')::jsonb
    """


def _constraint_names(table: str, old: str, new: str) -> str:
    """PostgreSQL keeps the names that it made itself from those of table and column."""
    return f"""
        DO $$
        DECLARE
            found text;
        BEGIN
            FOR found IN SELECT conname FROM pg_constraint
                WHERE conrelid = '{table}'::regclass AND conname ~ '^workloads_.*{old}_'
            LOOP
                EXECUTE format('ALTER TABLE {table} RENAME CONSTRAINT %I TO %I',
                    found, regexp_replace(found, '{old}_', '{new}_'));
            END LOOP;
        END $$;
    """


def _renamed_constraints(table: str, old: str, new: str) -> migrations.RunSQL:
    return migrations.RunSQL(
        _constraint_names(table, old, new), _constraint_names(table, new, old)
    )


def _backwards(words) -> dict:
    return {new: old for old, new in words.items()}


class Migration(migrations.Migration):
    dependencies = [
        ("catalog", "0001_initial"),
        ("inventory", "0006_retests_of_cards"),
        ("tenancy", "0001_initial"),
        ("workloads", "0010_measured_use"),
    ]

    operations = [
        migrations.RemoveConstraint("workload", "workload_cards_or_slices"),
        migrations.RemoveConstraint("workload", "workload_share_is_less_than_a_card"),
        migrations.RemoveConstraint("workload", "workload_ceiling_above_guarantee"),
        migrations.RemoveConstraint("allocationdevice", "device_slot_exists"),
        migrations.RenameField("workload", "cards", "gpus"),
        migrations.RenameField("workload", "share_milli", "gpu_milli"),
        migrations.RenameField("workload", "share_mib", "gpu_memory_mib"),
        migrations.RenameField("workload", "share_ceiling_mib", "gpu_memory_ceiling_mib"),
        migrations.RenameField("workload", "attained_card_s", "attained_gpu_s"),
        migrations.RenameField("workload", "yields_to", "evicted_for"),
        migrations.RenameField("allocation", "gpu_milli", "total_gpu_milli"),
        migrations.RenameField("allocation", "gpu_memory_mib", "total_gpu_memory_mib"),
        migrations.RenameField("allocation", "cards_since", "gpus_since"),
        migrations.RenameField("allocation", "metered_before", "released_gpu_milli_ms"),
        migrations.RenameField("allocationdevice", "share_milli", "gpu_milli"),
        migrations.AddConstraint(
            "workload",
            models.CheckConstraint(
                condition=Q(gpus=0) | Q(slices=0), name="workload_gpus_or_slices"
            ),
        ),
        migrations.AddConstraint(
            "workload",
            models.CheckConstraint(
                condition=Q(gpu_milli=0, gpu_memory_mib=0, gpu_memory_ceiling_mib=None)
                | Q(gpu_milli__range=(1, 999), gpu_memory_mib__gt=0, gpus=0, slices=0),
                name="workload_share_is_less_than_a_gpu",
            ),
        ),
        migrations.AddConstraint(
            "workload",
            models.CheckConstraint(
                condition=Q(gpu_memory_ceiling_mib=None)
                | Q(gpu_memory_ceiling_mib__gte=F("gpu_memory_mib")),
                name="workload_ceiling_above_guarantee",
            ),
        ),
        migrations.AddConstraint(
            "allocationdevice",
            models.CheckConstraint(
                condition=Q(gpu_milli=0, slot__lt=F("slices"))
                | Q(gpu_milli__range=(1, 999), slices=1),
                name="device_slot_exists",
            ),
        ),
        migrations.RunSQL(
            SHARES.format(column="gpu_milli"), SHARES.format(column="share_milli")
        ),
        migrations.RenameField("idleness", "cards", "gpu_state"),
        migrations.RenameField("idleness", "moved_at", "gpu_state_since"),
        migrations.RenameField("idleness", "left_at", "gpus_released_at"),
        migrations.RenameField("idleness", "request", "gpu_request"),
        migrations.RenameField("idleness", "told_at", "reported_at"),
        migrations.RenameField("idleness", "mark", "use_mark"),
        migrations.RenameField("idleness", "kept_words", "not_released_detail"),
        migrations.AlterField(
            "idleness",
            "gpu_state",
            models.CharField(
                choices=[
                    ("held", "Held"),
                    ("releasing", "Releasing"),
                    ("released", "Released"),
                    ("requested", "Requested"),
                    ("restoring", "Restoring"),
                ],
                default="held",
                max_length=10,
            ),
        ),
        migrations.RemoveConstraint("usedcards", "used_cards_once_a_day"),
        migrations.RenameModel("UsedCards", "DailyGpuUse"),
        migrations.RenameField("dailygpuuse", "held", "gpu_milli_ms"),
        migrations.AddConstraint(
            "dailygpuuse",
            models.UniqueConstraint(
                fields=["group", "user", "pool", "day"], name="daily_gpu_use_once"
            ),
        ),
        migrations.RemoveConstraint("decayeduse", "decayed_use_once"),
        migrations.RenameModel("DecayedUse", "DecayedGpuUse"),
        migrations.RenameField("decayedgpuuse", "held", "gpu_milli_ms"),
        migrations.AddConstraint(
            "decayedgpuuse",
            models.UniqueConstraint(fields=["group", "user"], name="decayed_gpu_use_once"),
        ),
        _renamed_constraints("workloads_workload", "cards", "gpus"),
        _renamed_constraints("workloads_workload", "share_milli", "gpu_milli"),
        _renamed_constraints("workloads_workload", "share_mib", "gpu_memory_mib"),
        _renamed_constraints("workloads_workload", "share_ceiling_mib", "gpu_memory_ceiling_mib"),
        _renamed_constraints("workloads_workload", "attained_card_s", "attained_gpu_s"),
        _renamed_constraints("workloads_allocation", "gpu_milli", "total_gpu_milli"),
        _renamed_constraints("workloads_allocation", "gpu_memory_mib", "total_gpu_memory_mib"),
        _renamed_constraints("workloads_allocationdevice", "share_milli", "gpu_milli"),
        _renamed_constraints("workloads_dailygpuuse", "usedcards", "dailygpuuse"),
        _renamed_constraints("workloads_decayedgpuuse", "decayeduse", "decayedgpuuse"),
        migrations.RunSQL(_states(GPU_STATES), _states(_backwards(GPU_STATES))),
        migrations.RunSQL(_boards(BOARD_KEYS), _boards(_backwards(BOARD_KEYS))),
        migrations.RunSQL(_reasons("cards", "gpus"), _reasons("gpus", "cards")),
    ]
