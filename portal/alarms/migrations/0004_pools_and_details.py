from django.db import migrations, models

WITHOUT_POOLS = """
UPDATE alarms_alarm alarm SET detail = left(alarm.detail, -length(pool.name) - 1)
FROM inventory_pool pool
WHERE alarm.subject_type = 'quota' AND pool.id = alarm.pool_id
    AND right(alarm.detail, length(pool.name) + 1) = ' ' || pool.name
"""
"""The pool was named in the detail as well."""
NO_QUIET_HOURS = """
UPDATE alarms_alarmrule SET quiet_from = NULL, quiet_until = NULL WHERE quiet_from = quiet_until
"""
"""Such hours were accepted, and meant none."""


class Migration(migrations.Migration):
    dependencies = [("alarms", "0003_nodes"), ("inventory", "0001_tables")]

    operations = [
        migrations.SeparateDatabaseAndState(
            # The column stays as it is: pools are found by it, and nothing is enforced.
            state_operations=[
                migrations.RemoveField("alarm", "pool_id"),
                migrations.AddField(
                    "alarm",
                    "pool",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        null=True,
                        on_delete=models.DO_NOTHING,
                        related_name="+",
                        to="inventory.pool",
                    ),
                ),
            ]
        ),
        migrations.RunSQL(WITHOUT_POOLS, migrations.RunSQL.noop),
        migrations.RunSQL(NO_QUIET_HOURS, migrations.RunSQL.noop),
    ]
