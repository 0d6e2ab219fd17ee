from django.db import migrations, models

EVENT_GUARD = """
CREATE FUNCTION workload_event_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' AND EXISTS (
        SELECT FROM workloads_workload WHERE id = OLD.workload_id AND simulated
    ) THEN
        RETURN OLD;
    END IF;
    RAISE EXCEPTION '% is append-only', TG_TABLE_NAME
        USING ERRCODE = 'check_violation', CONSTRAINT = 'append_only';
END $$;
DROP TRIGGER append_only ON workloads_workloadevent;
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON workloads_workloadevent
    FOR EACH ROW EXECUTE FUNCTION workload_event_guard();
"""
UNGUARD = """
DROP TRIGGER append_only ON workloads_workloadevent;
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON workloads_workloadevent
    FOR EACH ROW EXECUTE FUNCTION append_only();
DROP FUNCTION workload_event_guard();
"""


class Migration(migrations.Migration):
    """Work of the demo is marked, and can be removed with its events."""

    dependencies = [("workloads", "0015_noticed_events")]
    operations = [
        migrations.AddField(
            model_name="workload",
            name="simulated",
            field=models.BooleanField(db_default=False, default=False),
        ),
        migrations.RunSQL(EVENT_GUARD, UNGUARD),
    ]
