"""The state of a card changes by legal edges only, as that of workloads, allocations and nodes does."""

from django.db import migrations

from scheduler.core.model.states import ACCELERATOR_TRANSITIONS

_EDGES = ", ".join(
    f"('{source}', '{target}')"
    for source, targets in ACCELERATOR_TRANSITIONS.items()
    for target in sorted(targets)
)
GUARD = f"""
CREATE FUNCTION accelerator_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (OLD.state, NEW.state) NOT IN ({_EDGES}) THEN
        RAISE EXCEPTION 'illegal accelerator transition % -> %', OLD.state, NEW.state
            USING ERRCODE = 'check_violation', CONSTRAINT = 'accelerator_legal_transition';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER accelerator_guard BEFORE UPDATE ON inventory_accelerator
    FOR EACH ROW WHEN (OLD.state <> NEW.state) EXECUTE FUNCTION accelerator_guard();
"""
UNGUARD = "DROP TRIGGER accelerator_guard ON inventory_accelerator; DROP FUNCTION accelerator_guard();"


class Migration(migrations.Migration):
    dependencies = [("inventory", "0007_gpus_kept_by_lenders")]
    operations = [migrations.RunSQL(GUARD, UNGUARD)]
