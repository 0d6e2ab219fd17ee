"""What Django's constraints cannot say: legal edges, rising epochs, an append-only log, pinned cards."""

from django.db import migrations

from scheduler.core.model.states import (ALLOCATION_TRANSITIONS, WORKLOAD_TRANSITIONS)


def _edges(table) -> str:
    pairs = [(a.value, b.value) for a, targets in table.items() for b in sorted(targets)]
    return ", ".join(f"('{a}', '{b}')" for a, b in pairs)


GUARDS = f"""
CREATE FUNCTION workload_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.state <> OLD.state AND (OLD.state, NEW.state) NOT IN ({_edges(WORKLOAD_TRANSITIONS)}) THEN
        RAISE EXCEPTION 'illegal workload transition % -> %', OLD.state, NEW.state
            USING ERRCODE = 'check_violation', CONSTRAINT = 'workload_legal_transition';
    END IF;
    IF NEW.epoch < OLD.epoch THEN
        RAISE EXCEPTION 'epoch of a workload only rises' USING ERRCODE = 'check_violation',
            CONSTRAINT = 'workload_epoch_rises';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER workload_guard BEFORE UPDATE ON workloads_workload
    FOR EACH ROW EXECUTE FUNCTION workload_guard();

CREATE FUNCTION allocation_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.state <> OLD.state AND (OLD.state, NEW.state) NOT IN ({_edges(ALLOCATION_TRANSITIONS)}) THEN
        RAISE EXCEPTION 'illegal allocation transition % -> %', OLD.state, NEW.state
            USING ERRCODE = 'check_violation', CONSTRAINT = 'allocation_legal_transition';
    END IF;
    IF NEW.epoch <> OLD.epoch OR NEW.node_id <> OLD.node_id THEN
        RAISE EXCEPTION 'epoch and node of an allocation never change'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'allocation_identity_fixed';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER allocation_guard BEFORE UPDATE ON workloads_allocation
    FOR EACH ROW EXECUTE FUNCTION allocation_guard();

CREATE FUNCTION append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% is append-only', TG_TABLE_NAME
        USING ERRCODE = 'check_violation', CONSTRAINT = 'append_only';
END $$;
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON workloads_workloadevent
    FOR EACH ROW EXECUTE FUNCTION append_only();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON audit_auditevent
    FOR EACH ROW EXECUTE FUNCTION append_only();

ALTER TABLE workloads_allocationdevice ADD CONSTRAINT device_pins_card
    FOREIGN KEY (accelerator_id, claim_mode, slices)
    REFERENCES inventory_accelerator (id, mode, slices)
    ON UPDATE RESTRICT ON DELETE RESTRICT;
"""

UNDO = """
ALTER TABLE workloads_allocationdevice DROP CONSTRAINT device_pins_card;
DROP TRIGGER append_only ON audit_auditevent;
DROP TRIGGER append_only ON workloads_workloadevent;
DROP FUNCTION append_only();
DROP TRIGGER allocation_guard ON workloads_allocation;
DROP FUNCTION allocation_guard();
DROP TRIGGER workload_guard ON workloads_workload;
DROP FUNCTION workload_guard();
"""


class Migration(migrations.Migration):
    dependencies = [("workloads", "0001_initial"), ("audit", "0001_initial")]
    operations = [migrations.RunSQL(GUARDS, UNDO)]
