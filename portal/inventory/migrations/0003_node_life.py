"""The life of a node: keys of its own that rotate, what its operator wants, and legal edges only."""

import django.db.models.deletion
import portal.common.clock
import portal.common.ids
from django.db import migrations, models

from scheduler.core.model.states import (NODE_TRANSITIONS)

_EDGES = ", ".join(
    f"('{source}', '{target}')"
    for source, targets in NODE_TRANSITIONS.items()
    for target in sorted(targets)
)
GUARD = f"""
CREATE FUNCTION node_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.state <> OLD.state AND (OLD.state, NEW.state) NOT IN ({_EDGES}) THEN
        RAISE EXCEPTION 'illegal node transition % -> %', OLD.state, NEW.state
            USING ERRCODE = 'check_violation', CONSTRAINT = 'node_legal_transition';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER node_guard BEFORE UPDATE ON inventory_node
    FOR EACH ROW EXECUTE FUNCTION node_guard();
"""
UNGUARD = "DROP TRIGGER node_guard ON inventory_node; DROP FUNCTION node_guard();"
CARRY_OVER = """
INSERT INTO inventory_nodekey (id, created_at, digest, expires_at, used_at, node_id)
    SELECT gen_random_uuid(), now(), key_digest, now() + interval '30 days', now(), id
    FROM inventory_node WHERE state <> 'retired';
UPDATE inventory_node SET hold = 'drain' WHERE state IN ('draining', 'drained');
UPDATE inventory_node SET lease_until = NULL WHERE state = 'retired';
SET CONSTRAINTS ALL IMMEDIATE;
"""


class Migration(migrations.Migration):

    dependencies = [
        ('inventory', '0002_engine'),
    ]

    operations = [
        migrations.CreateModel(
            name='NodeKey',
            fields=[
                ('id', models.UUIDField(default=portal.common.ids.new_id, editable=False, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(default=portal.common.clock.now, editable=False)),
                ('digest', models.CharField(max_length=64, unique=True)),
                ('expires_at', models.DateTimeField()),
                ('used_at', models.DateTimeField(null=True)),
                ('node', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='keys', to='inventory.node')),
            ],
            options={
                'abstract': False,
            },
        ),
        migrations.RemoveConstraint(
            model_name='node',
            name='node_state_known',
        ),
        migrations.AddField(
            model_name='node',
            name='drain_stops',
            field=models.BooleanField(default=False),
        ),
        migrations.AddField(
            model_name='node',
            name='drain_until',
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name='node',
            name='faults',
            field=models.JSONField(default=list),
        ),
        migrations.AddField(
            model_name='node',
            name='hold',
            field=models.CharField(blank=True, choices=[('', ''), ('cordon', 'cordon'), ('drain', 'drain'), ('quarantine', 'quarantine')], default='', max_length=16),
        ),
        migrations.RunSQL(CARRY_OVER, migrations.RunSQL.noop),
        migrations.RemoveField(
            model_name='node',
            name='key_digest',
        ),
        migrations.AddField(
            model_name='node',
            name='rival_boot_id',
            field=models.CharField(blank=True, max_length=64),
        ),
        migrations.AddField(
            model_name='node',
            name='rival_seq',
            field=models.BigIntegerField(default=-1),
        ),
        migrations.AlterField(
            model_name='node',
            name='state',
            field=models.CharField(choices=[('joining', 'joining'), ('ready', 'ready'), ('unready', 'unready'), ('lost', 'lost'), ('cordoned', 'cordoned'), ('draining', 'draining'), ('drained', 'drained'), ('retired', 'retired')], default='joining', max_length=16),
        ),
        migrations.AddConstraint(
            model_name='node',
            constraint=models.CheckConstraint(condition=models.Q(('state__in', ['joining', 'ready', 'unready', 'lost', 'cordoned', 'draining', 'drained', 'retired'])), name='node_state_known'),
        ),
        migrations.AddConstraint(
            model_name='node',
            constraint=models.CheckConstraint(condition=models.Q(('hold__in', ['', 'cordon', 'drain', 'quarantine'])), name='node_hold_known'),
        ),
        migrations.AddConstraint(
            model_name='node',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('state', 'retired'), _negated=True), ('lease_until', None), _connector='OR'), name='node_retired_has_no_lease'),
        ),
        migrations.RunSQL(GUARD, UNGUARD),
    ]
