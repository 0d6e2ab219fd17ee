import django.db.models.deletion
import django.db.models.expressions
import portal.common.clock
import portal.common.ids
from django.conf import settings
from django.db import migrations, models

from scheduler.core.model.states import ACCELERATOR_TRANSITIONS, NODE_TRANSITIONS

def _edges(transitions) -> str:
    pairs = [(a.value, b.value) for a, targets in transitions.items() for b in sorted(targets)]
    return ", ".join(f"('{a}', '{b}')" for a, b in pairs)


NODE_GUARD = f"""
CREATE FUNCTION node_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.state <> OLD.state AND (OLD.state, NEW.state) NOT IN ({_edges(NODE_TRANSITIONS)}) THEN
        RAISE EXCEPTION 'illegal node transition % -> %', OLD.state, NEW.state
            USING ERRCODE = 'check_violation', CONSTRAINT = 'node_legal_transition';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER node_guard BEFORE UPDATE ON inventory_node
    FOR EACH ROW EXECUTE FUNCTION node_guard();
"""
CARD_GUARD = f"""
CREATE FUNCTION accelerator_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (OLD.state, NEW.state) NOT IN ({_edges(ACCELERATOR_TRANSITIONS)}) THEN
        RAISE EXCEPTION 'illegal accelerator transition % -> %', OLD.state, NEW.state
            USING ERRCODE = 'check_violation', CONSTRAINT = 'accelerator_legal_transition';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER accelerator_guard BEFORE UPDATE ON inventory_accelerator
    FOR EACH ROW WHEN (OLD.state <> NEW.state) EXECUTE FUNCTION accelerator_guard();
"""


class Migration(migrations.Migration):

    replaces = [('inventory', '0001_initial'), ('inventory', '0002_engine'), ('inventory', '0003_node_life'), ('inventory', '0004_what_cards_and_nodes_tell'), ('inventory', '0005_hardware_partitions_and_free_shares'), ('inventory', '0006_retests_of_cards'), ('inventory', '0007_gpus_kept_by_lenders'), ('inventory', '0008_card_transitions'), ('inventory', '0009_dataset_folders'), ('inventory', '0010_silent_nodes'), ('inventory', '0011_agent_protocol'), ('inventory', '0012_recovery'), ('inventory', '0013_node_saves_images'), ('inventory', '0014_protection_from_reclaim'), ('inventory', '0015_node_builds_images'), ('inventory', '0016_foreign_keys_indexed_once')]

    initial = True

    dependencies = [
        ('identity', '__first__'),
    ]

    operations = [
        migrations.CreateModel(
            name='Pool',
            fields=[
                ('id', models.UUIDField(default=portal.common.ids.new_id, editable=False, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(default=portal.common.clock.now, editable=False)),
                ('name', models.SlugField(max_length=63, unique=True)),
                ('title_en', models.CharField(max_length=100)),
                ('title_zh', models.CharField(max_length=100)),
                ('purpose', models.CharField(choices=[('development', 'Development'), ('training', 'Training'), ('inference', 'Inference')], max_length=16)),
                ('mode', models.CharField(choices=[('exclusive', 'Exclusive'), ('shared', 'Shared'), ('mig', 'Mig')], max_length=16)),
                ('slices_per_card', models.PositiveSmallIntegerField(default=1)),
                ('slice_mib', models.PositiveIntegerField(default=0)),
                ('cpu_overcommit_pct', models.PositiveSmallIntegerField(default=100)),
                ('default_time_limit_s', models.PositiveIntegerField()),
                ('time_limit_s_max', models.PositiveIntegerField()),
                ('is_open', models.BooleanField(default=True)),
                ('policy', models.JSONField(default=dict)),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('mode', 'exclusive'), ('slices_per_card', 1)), models.Q(('mode', 'shared'), ('slice_mib__gt', 0), ('slices_per_card__in', [2, 4, 5, 8, 10])), models.Q(('mode', 'shared'), ('slice_mib', 0), ('slices_per_card', 1)), models.Q(('mode', 'mig'), ('slice_mib__gt', 0), ('slices_per_card__in', [4, 8])), _connector='OR'), name='pool_slices_match_mode'), models.CheckConstraint(condition=models.Q(('cpu_overcommit_pct__gte', 100)), name='pool_overcommit_at_least_whole')],
            },
        ),
        migrations.CreateModel(
            name='Node',
            fields=[
                ('id', models.UUIDField(default=portal.common.ids.new_id, editable=False, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(default=portal.common.clock.now, editable=False)),
                ('name', models.SlugField(max_length=63, unique=True)),
                ('state', models.CharField(choices=[('joining', 'joining'), ('ready', 'ready'), ('unready', 'unready'), ('lost', 'lost'), ('cordoned', 'cordoned'), ('draining', 'draining'), ('drained', 'drained'), ('retired', 'retired')], default='joining', max_length=16)),
                ('hold', models.CharField(blank=True, choices=[('', ''), ('cordon', 'cordon'), ('drain', 'drain'), ('quarantine', 'quarantine')], default='', max_length=16)),
                ('drain_until', models.DateTimeField(null=True)),
                ('drain_stops', models.BooleanField(default=False)),
                ('address', models.CharField(blank=True, max_length=200)),
                ('runtime', models.CharField(blank=True, max_length=16)),
                ('is_isolated', models.BooleanField(default=False)),
                ('agent_version', models.CharField(blank=True, max_length=64)),
                ('agent_protocol', models.PositiveSmallIntegerField(db_default=0, default=0)),
                ('saves_images', models.BooleanField(db_default=False, default=False)),
                ('builds_images', models.BooleanField(db_default=False, default=False)),
                ('faults', models.JSONField(default=list)),
                ('versions', models.JSONField(default=dict)),
                ('cpu_milli', models.PositiveIntegerField(default=0)),
                ('memory_mib', models.PositiveIntegerField(default=0)),
                ('disk_mib', models.PositiveIntegerField(null=True)),
                ('disk_free_mib', models.PositiveIntegerField(null=True)),
                ('dataset_folders', models.JSONField(null=True)),
                ('switch', models.CharField(blank=True, max_length=63)),
                ('boot_id', models.CharField(blank=True, max_length=64)),
                ('rival_boot_id', models.CharField(blank=True, max_length=64)),
                ('rival_seq', models.BigIntegerField(default=-1)),
                ('last_seq', models.BigIntegerField(default=-1)),
                ('last_seen_at', models.DateTimeField(null=True)),
                ('lease_until', models.DateTimeField(null=True)),
                ('machine_id', models.CharField(blank=True, db_default='', default='', max_length=64)),
                ('lost_as', models.CharField(blank=True, choices=[('', ''), ('declared', 'declared'), ('fenced', 'fenced')], db_default='', default='', max_length=16)),
                ('lost_boot_id', models.CharField(blank=True, db_default='', default='', max_length=64)),
                ('returned_at', models.DateTimeField(null=True)),
                ('awaits_report', models.BooleanField(db_default=False, default=False)),
                ('runs_forgotten', models.BooleanField(db_default=False, default=False)),
                ('fence_at', models.DateTimeField(null=True)),
                ('pool', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='nodes', to='inventory.pool')),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(('state__in', ['joining', 'ready', 'unready', 'lost', 'cordoned', 'draining', 'drained', 'retired'])), name='node_state_known'), models.CheckConstraint(condition=models.Q(('hold__in', ['', 'cordon', 'drain', 'quarantine'])), name='node_hold_known'), models.CheckConstraint(condition=models.Q(models.Q(('state', 'retired'), _negated=True), ('lease_until', None), _connector='OR'), name='node_retired_has_no_lease')],
            },
        ),
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
        migrations.CreateModel(
            name='JoinToken',
            fields=[
                ('id', models.UUIDField(default=portal.common.ids.new_id, editable=False, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(default=portal.common.clock.now, editable=False)),
                ('digest', models.CharField(max_length=64, unique=True)),
                ('node_name', models.SlugField(max_length=63)),
                ('expires_at', models.DateTimeField()),
                ('used_at', models.DateTimeField(null=True)),
                ('created_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('pool', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='inventory.pool')),
            ],
            options={
                'abstract': False,
            },
        ),
        migrations.CreateModel(
            name='Accelerator',
            fields=[
                ('id', models.UUIDField(default=portal.common.ids.new_id, editable=False, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(default=portal.common.clock.now, editable=False)),
                ('uuid', models.CharField(max_length=64, unique=True)),
                ('index', models.PositiveSmallIntegerField()),
                ('island', models.PositiveSmallIntegerField(default=0)),
                ('vendor', models.CharField(max_length=64)),
                ('model', models.CharField(max_length=100)),
                ('memory_mib', models.PositiveIntegerField()),
                ('reserve_mib', models.PositiveIntegerField(default=0)),
                ('mode', models.CharField(choices=[('exclusive', 'Exclusive'), ('shared', 'Shared'), ('mig', 'Mig')], max_length=16)),
                ('slices', models.PositiveSmallIntegerField(default=1)),
                ('slice_mib', models.PositiveIntegerField()),
                ('state', models.CharField(choices=[('ok', 'ok'), ('dirty', 'dirty'), ('suspect', 'suspect'), ('bad', 'bad'), ('gone', 'gone')], default='ok', max_length=16)),
                ('fault', models.CharField(blank=True, max_length=64)),
                ('isolation', models.JSONField(default=list)),
                ('mig', models.JSONField(default=list)),
                ('mig_profiles', models.JSONField(db_default=[], default=list)),
                ('driver', models.CharField(blank=True, max_length=64)),
                ('is_simulated', models.BooleanField(default=False)),
                ('retests_asked', models.PositiveIntegerField(default=0)),
                ('retests_done', models.PositiveIntegerField(default=0)),
                ('power_mw', models.PositiveIntegerField(null=True)),
                ('energy_mj', models.BigIntegerField(null=True)),
                ('temperature_c', models.SmallIntegerField(null=True)),
                ('utilisation_pct', models.PositiveSmallIntegerField(null=True)),
                ('memory_used_mib', models.PositiveIntegerField(null=True)),
                ('sampled_at', models.DateTimeField(null=True)),
                ('node', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='accelerators', to='inventory.node')),
                ('pool', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='accelerators', to='inventory.pool')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('id', 'mode', 'slices'), name='accelerator_claim_target'), models.CheckConstraint(condition=models.Q(models.Q(('mode', 'exclusive'), ('slices', 1)), models.Q(('mode', 'shared'), ('slices__gte', 1)), models.Q(('mode', 'mig'), ('slices__gt', 1)), _connector='OR'), name='accelerator_slices_match_mode'), models.CheckConstraint(condition=models.Q(('memory_mib__gte', django.db.models.expressions.CombinedExpression(django.db.models.expressions.CombinedExpression(models.F('slices'), '*', models.F('slice_mib')), '+', models.F('reserve_mib')))), name='accelerator_slices_fit_memory'), models.CheckConstraint(condition=models.Q(('state__in', ['ok', 'dirty', 'suspect', 'bad', 'gone'])), name='accelerator_state_known')],
            },
        ),
        migrations.CreateModel(
            name='FenceAttempt',
            fields=[
                ('id', models.UUIDField(default=portal.common.ids.new_id, editable=False, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(default=portal.common.clock.now, editable=False)),
                ('silent_since', models.DateTimeField()),
                ('ended_at', models.DateTimeField(null=True)),
                ('exit_code', models.SmallIntegerField(null=True)),
                ('output', models.CharField(blank=True, max_length=2000)),
                ('node', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='fence_attempts', to='inventory.node')),
            ],
            options={
                'indexes': [models.Index(fields=['node', '-id'], name='fence_attempt_by_node')],
            },
        ),
        migrations.RunSQL(NODE_GUARD),
        migrations.RunSQL(CARD_GUARD),
    ]
