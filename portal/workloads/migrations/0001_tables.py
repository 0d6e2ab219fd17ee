import django.contrib.postgres.fields
import django.db.models.deletion
import portal.common.clock
import portal.common.ids
from django.conf import settings
from django.db import migrations, models

from scheduler.core.model.states import ALLOCATION_TRANSITIONS, WORKLOAD_TRANSITIONS

def _edges(transitions) -> str:
    pairs = [(a.value, b.value) for a, targets in transitions.items() for b in sorted(targets)]
    return ", ".join(f"('{a}', '{b}')" for a, b in pairs)


# What Django's constraints cannot say: legal edges, rising epochs, an append-only log, pinned cards.
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

CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON workloads_workloadevent
    FOR EACH ROW EXECUTE FUNCTION append_only();
CREATE TRIGGER append_only_whole BEFORE TRUNCATE ON workloads_workloadevent
    FOR EACH STATEMENT EXECUTE FUNCTION append_only();

ALTER TABLE workloads_allocationdevice ADD CONSTRAINT device_pins_card
    FOREIGN KEY (accelerator_id, claim_mode, slices)
    REFERENCES inventory_accelerator (id, mode, slices)
    ON UPDATE RESTRICT ON DELETE RESTRICT;
"""
SHARES = """
CREATE FUNCTION device_shares_fit() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    room bigint;
    milli bigint;
    mib bigint;
    whole bigint;
BEGIN
    SELECT slice_mib INTO room FROM inventory_accelerator
        WHERE id = NEW.accelerator_id FOR NO KEY UPDATE;
    SELECT coalesce(sum(gpu_milli), 0), coalesce(sum(memory_mib) FILTER (WHERE gpu_milli > 0), 0),
            count(*) FILTER (WHERE gpu_milli = 0)
        INTO milli, mib, whole FROM workloads_allocationdevice
        WHERE accelerator_id = NEW.accelerator_id AND released_at IS NULL;
    IF milli > 1000 OR mib > room OR (whole > 0 AND milli > 0) THEN
        RAISE EXCEPTION 'shares of % thousandths and % of % MiB on one card', milli, mib, room
            USING ERRCODE = 'check_violation', CONSTRAINT = 'device_shares_fit';
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER device_shares_fit AFTER INSERT ON workloads_allocationdevice FOR EACH ROW
    WHEN (NEW.released_at IS NULL AND NEW.slices = 1 AND NEW.claim_mode = 'shared')
    EXECUTE FUNCTION device_shares_fit();
ALTER TABLE workloads_allocationdevice ADD CONSTRAINT device_share_of_a_shared_card
    CHECK (gpu_milli = 0 OR released_at IS NOT NULL OR claim_mode = 'shared');
"""
# Read whole and written whole, often: its compression would cost more than it saves.
QUEUE_STORAGE = "ALTER TABLE workloads_poolqueue ALTER COLUMN workloads SET STORAGE EXTERNAL"


class Migration(migrations.Migration):

    replaces = [('workloads', '0001_initial'), ('workloads', '0002_database_rules'), ('workloads', '0003_engine'), ('workloads', '0004_command_digest'), ('workloads', '0005_restart_rules'), ('workloads', '0006_pull_progress'), ('workloads', '0007_isolation_in_force'), ('workloads', '0008_free_shares_and_profiles'), ('workloads', '0009_idle_notebooks'), ('workloads', '0010_measured_use'), ('workloads', '0011_gpu_is_the_unit'), ('workloads', '0012_memory_of_whole_gpus'), ('workloads', '0013_queue_controls'), ('workloads', '0014_choice_of_gpus'), ('workloads', '0015_gpus_by_model'), ('workloads', '0016_terms_of_silence'), ('workloads', '0017_must_end_at'), ('workloads', '0018_files_of_work'), ('workloads', '0019_recovery'), ('workloads', '0020_ledger_of_devices'), ('workloads', '0021_web_apps'), ('workloads', '0022_sorted_lists'), ('workloads', '0023_foreign_keys_indexed_once'), ('workloads', '0024_versions_of_datasets')]

    initial = True

    dependencies = [
        ('audit', '0001_tables'),
        ('catalog', '0001_tables'),
        ('identity', '__first__'),
        ('inventory', '0001_tables'),
        ('tenancy', '0001_tables'),
    ]

    operations = [
        migrations.CreateModel(
            name='JobArray',
            fields=[
                ('id', models.UUIDField(default=portal.common.ids.new_id, editable=False, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(default=portal.common.clock.now, editable=False)),
                ('name', models.CharField(max_length=63)),
                ('indexes', models.CharField(max_length=255)),
                ('size', models.PositiveIntegerField()),
                ('running_max', models.PositiveIntegerField(null=True)),
                ('group', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenancy.group')),
                ('owner', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(('size__gte', 1)), name='array_has_a_task'), models.CheckConstraint(condition=models.Q(('running_max', None), ('running_max__gte', 1), _connector='OR'), name='array_runs_a_task')],
            },
        ),
        migrations.CreateModel(
            name='Workload',
            fields=[
                ('id', models.UUIDField(default=portal.common.ids.new_id, editable=False, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(default=portal.common.clock.now, editable=False)),
                ('kind', models.CharField(choices=[('environment', 'Environment'), ('training', 'Training'), ('app', 'App')], max_length=16)),
                ('name', models.CharField(max_length=63)),
                ('array_index', models.PositiveIntegerField(null=True)),
                ('heads_array', models.BooleanField(db_default=False, default=False)),
                ('replicas', models.PositiveSmallIntegerField(default=1)),
                ('gpus', models.PositiveSmallIntegerField(default=0)),
                ('slices', models.PositiveSmallIntegerField(default=0)),
                ('gpu_milli', models.PositiveSmallIntegerField(db_default=0, default=0)),
                ('gpu_memory_mib', models.PositiveIntegerField(db_default=0, default=0)),
                ('gpu_memory_ceiling_mib', models.PositiveIntegerField(null=True)),
                ('mig_profile', models.CharField(blank=True, db_default='', default='', max_length=32)),
                ('gpu_models', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=100), blank=True, default=list, size=None)),
                ('gpu_memory_min_mib', models.PositiveIntegerField(db_default=0, default=0)),
                ('gpu_features', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=16), blank=True, default=list, size=None)),
                ('gpu_bandwidth_min_gbps', models.PositiveIntegerField(db_default=0, default=0)),
                ('cpu_milli', models.PositiveIntegerField()),
                ('memory_mib', models.PositiveIntegerField()),
                ('priority', models.SmallIntegerField(default=0)),
                ('time_limit_s', models.PositiveIntegerField()),
                ('retries_max', models.PositiveSmallIntegerField(default=0)),
                ('restart', models.JSONField(default=dict)),
                ('spec', models.JSONField(default=dict)),
                ('files', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=80), blank=True, default=list, size=None)),
                ('app_folder', models.CharField(blank=True, db_default='', default='', max_length=481)),
                ('command_digest', models.CharField(blank=True, max_length=32)),
                ('state', models.CharField(choices=[('queued', 'queued'), ('placing', 'placing'), ('starting', 'starting'), ('running', 'running'), ('stopping', 'stopping'), ('suspended', 'suspended'), ('succeeded', 'succeeded'), ('failed', 'failed'), ('cancelled', 'cancelled'), ('expired', 'expired')], default='queued', max_length=16)),
                ('version', models.PositiveIntegerField(default=0)),
                ('epoch', models.PositiveIntegerField(default=0)),
                ('epoch_floor', models.PositiveIntegerField(db_default=0, default=0)),
                ('outcome', models.CharField(blank=True, max_length=16)),
                ('cause', models.CharField(blank=True, max_length=64)),
                ('cause_params', models.JSONField(default=dict)),
                ('exit_code', models.SmallIntegerField(null=True)),
                ('retries', models.PositiveSmallIntegerField(default=0)),
                ('retry_at', models.DateTimeField(null=True)),
                ('silence', models.CharField(blank=True, choices=[('keep', 'keep'), ('replace', 'replace')], db_default='', default='', max_length=8)),
                ('preemptible', models.BooleanField(default=False)),
                ('evictions', models.PositiveIntegerField(default=0)),
                ('evicted_for', models.UUIDField(null=True)),
                ('attained_gpu_s', models.PositiveBigIntegerField(default=0)),
                ('checkpointed_at', models.DateTimeField(null=True)),
                ('priority_until', models.DateTimeField(null=True)),
                ('held_by', models.CharField(blank=True, db_default='', default='', max_length=11)),
                ('not_before', models.DateTimeField(null=True)),
                ('submitted_at', models.DateTimeField(default=portal.common.clock.now)),
                ('queued_at', models.DateTimeField(default=portal.common.clock.now)),
                ('started_at', models.DateTimeField(null=True)),
                ('finished_at', models.DateTimeField(null=True)),
                ('must_end_at', models.DateTimeField(null=True)),
                ('app', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='catalog.webapp')),
                ('group', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenancy.group')),
                ('image', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='catalog.image')),
                ('owner', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('pool', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='inventory.pool')),
                ('array', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='tasks', to='workloads.jobarray')),
            ],
            options={
                'indexes': [models.Index(fields=['owner', '-id'], name='workload_by_owner'), models.Index(fields=['group', '-id'], name='workload_by_group'), models.Index(fields=['name', 'id'], name='workload_by_name'), models.Index(fields=['state', 'id'], name='workload_by_state'), models.Index(condition=models.Q(('state', 'queued')), fields=['pool', '-priority', 'submitted_at', 'id'], name='workload_queue'), models.Index(condition=models.Q(('app__isnull', False)), fields=['app'], name='workload_by_app'), models.Index(condition=models.Q(('array__isnull', False)), fields=['array', 'state'], name='workload_by_array'), models.Index(condition=models.Q(('state__in', ['succeeded', 'failed', 'cancelled', 'expired']), _negated=True), fields=['state', 'id'], name='workload_active'), models.Index(condition=models.Q(('must_end_at__isnull', False), ('state__in', ['placing', 'starting', 'running'])), fields=['must_end_at'], name='workload_must_end')],
                'constraints': [models.CheckConstraint(condition=models.Q(('state__in', ['queued', 'placing', 'starting', 'running', 'stopping', 'suspended', 'succeeded', 'failed', 'cancelled', 'expired'])), name='workload_state_known'), models.CheckConstraint(condition=models.Q(('gpus', 0), ('slices', 0), _connector='OR'), name='workload_gpus_or_slices'), models.CheckConstraint(condition=models.Q(models.Q(('gpu_memory_ceiling_mib', None), ('gpu_memory_mib', 0), ('gpu_milli', 0)), models.Q(('gpu_memory_mib__gt', 0), ('gpu_milli__range', (1, 999)), ('gpus', 0), ('slices', 0)), _connector='OR'), name='workload_share_is_less_than_a_gpu'), models.CheckConstraint(condition=models.Q(('gpu_memory_ceiling_mib', None), ('gpu_memory_ceiling_mib__gte', models.F('gpu_memory_mib')), _connector='OR'), name='workload_ceiling_above_guarantee'), models.CheckConstraint(condition=models.Q(('mig_profile', ''), ('slices__gt', 0), _connector='OR'), name='workload_profile_has_slices'), models.CheckConstraint(condition=models.Q(models.Q(('gpu_bandwidth_min_gbps', 0), ('gpu_features', []), ('gpu_memory_min_mib', 0), ('gpu_models', [])), ('gpus__gt', 0), ('slices__gt', 0), ('gpu_milli__gt', 0), _connector='OR'), name='workload_chooses_only_gpus_it_has'), models.CheckConstraint(condition=models.Q(('replicas__gte', 1)), name='workload_has_a_replica'), models.CheckConstraint(condition=models.Q(('held_by__in', ['', 'user', 'group_admin', 'operator'])), name='workload_hold_known'), models.CheckConstraint(condition=models.Q(models.Q(('array', None), ('array_index', None), ('heads_array', False)), models.Q(('array__isnull', False), ('array_index__isnull', False)), _connector='OR'), name='workload_task_has_an_index'), models.UniqueConstraint(condition=models.Q(('array__isnull', False)), fields=('array', 'array_index'), name='workload_one_per_index'), models.CheckConstraint(condition=models.Q(models.Q(('app__isnull', False), ('kind', 'app')), models.Q(models.Q(('kind', 'app'), _negated=True), ('app', None)), _connector='OR'), name='workload_app_is_named'), models.UniqueConstraint(condition=models.Q(('kind', 'app'), ('state__in', ['queued', 'placing', 'starting', 'running'])), fields=('owner', 'app', 'app_folder'), name='workload_one_session_per_folder')],
            },
        ),
        migrations.CreateModel(
            name='Allocation',
            fields=[
                ('id', models.UUIDField(default=portal.common.ids.new_id, editable=False, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(default=portal.common.clock.now, editable=False)),
                ('rank', models.PositiveSmallIntegerField(default=0)),
                ('epoch', models.PositiveIntegerField()),
                ('state', models.CharField(choices=[('reserved', 'reserved'), ('bound', 'bound'), ('lost', 'lost'), ('released', 'released')], default='reserved', max_length=16)),
                ('silence', models.CharField(choices=[('keep', 'keep'), ('replace', 'replace')], db_default='replace', default='replace', max_length=8)),
                ('cpu_milli', models.PositiveIntegerField()),
                ('memory_mib', models.PositiveIntegerField()),
                ('total_gpu_milli', models.PositiveIntegerField(default=0)),
                ('total_gpu_memory_mib', models.PositiveIntegerField(default=0)),
                ('gpu_milli_by_model', models.JSONField(db_default={}, default=dict)),
                ('phase', models.CharField(blank=True, max_length=16)),
                ('detail', models.CharField(blank=True, max_length=200)),
                ('progress_pct', models.PositiveSmallIntegerField(null=True)),
                ('port', models.PositiveIntegerField(null=True)),
                ('isolation', models.CharField(blank=True, db_default='', default='', max_length=16)),
                ('bound_at', models.DateTimeField(null=True)),
                ('stop_grace_s', models.PositiveIntegerField(null=True)),
                ('accounted_until', models.DateTimeField(null=True)),
                ('gpus_since', models.DateTimeField(null=True)),
                ('released_gpu_milli_ms', models.BigIntegerField(db_default=0, default=0)),
                ('unwanted_seq', models.BigIntegerField(null=True)),
                ('started_at', models.DateTimeField(null=True)),
                ('finished_at', models.DateTimeField(null=True)),
                ('released_at', models.DateTimeField(null=True)),
                ('exit_code', models.SmallIntegerField(null=True)),
                ('exit_cause', models.CharField(blank=True, max_length=32)),
                ('node', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='inventory.node')),
                ('pool', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='inventory.pool')),
                ('workload', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='allocations', to='workloads.workload')),
            ],
            options={
                'indexes': [models.Index(condition=models.Q(('state__in', ['bound', 'lost', 'reserved'])), fields=['node'], name='allocation_live_on_node'), models.Index(fields=['released_at'], name='allocation_by_release')],
                'constraints': [models.UniqueConstraint(fields=('workload', 'rank', 'epoch'), name='allocation_once_per_epoch'), models.UniqueConstraint(condition=models.Q(('state__in', ['bound', 'lost', 'reserved'])), fields=('workload', 'rank'), name='allocation_one_live_per_rank'), models.CheckConstraint(condition=models.Q(('state__in', ['reserved', 'bound', 'lost', 'released'])), name='allocation_state_known'), models.CheckConstraint(condition=models.Q(models.Q(('released_at__isnull', False), ('state', 'released')), models.Q(models.Q(('state', 'released'), _negated=True), ('released_at', None)), _connector='OR'), name='allocation_released_once')],
            },
        ),
        migrations.CreateModel(
            name='PoolQueue',
            fields=[
                ('pool', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='+', serialize=False, to='inventory.pool')),
                ('workloads', django.contrib.postgres.fields.ArrayField(base_field=models.UUIDField(), default=list, size=None)),
                ('positions', django.contrib.postgres.fields.ArrayField(base_field=models.IntegerField(), default=list, size=None)),
                ('answer_of', django.contrib.postgres.fields.ArrayField(base_field=models.IntegerField(), default=list, size=None)),
                ('answers', models.JSONField(default=list)),
                ('decided_at', models.DateTimeField(default=portal.common.clock.now)),
            ],
        ),
        migrations.CreateModel(
            name='MeasuredUse',
            fields=[
                ('allocation', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='measured', serialize=False, to='workloads.allocation')),
                ('memory_samples', models.PositiveIntegerField()),
                ('peak_mib', models.PositiveBigIntegerField()),
                ('busy_samples', models.PositiveIntegerField()),
                ('busy_pct_sum', models.PositiveBigIntegerField()),
            ],
        ),
        migrations.CreateModel(
            name='Idleness',
            fields=[
                ('workload', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='idleness', serialize=False, to='workloads.workload')),
                ('epoch', models.PositiveIntegerField()),
                ('reported_at', models.DateTimeField()),
                ('active_at', models.DateTimeField()),
                ('signal', models.CharField(max_length=16)),
                ('use_mark', models.BigIntegerField(default=0)),
                ('warned_of', models.CharField(blank=True, max_length=8)),
                ('warned_at', models.DateTimeField(null=True)),
                ('keeps', models.PositiveSmallIntegerField(default=0)),
                ('gpu_state', models.CharField(choices=[('held', 'Held'), ('releasing', 'Releasing'), ('released', 'Released'), ('requested', 'Requested'), ('restoring', 'Restoring')], default='held', max_length=10)),
                ('gpu_state_since', models.DateTimeField(null=True)),
                ('gpus_released_at', models.DateTimeField(null=True)),
                ('gpu_request', models.UUIDField(null=True)),
                ('not_released_detail', models.CharField(blank=True, max_length=200)),
            ],
        ),
        migrations.CreateModel(
            name='Dependency',
            fields=[
                ('id', models.BigAutoField(primary_key=True, serialize=False)),
                ('type', models.CharField(choices=[('after', 'After'), ('after_ok', 'After Ok'), ('after_any', 'After Any')], max_length=9)),
                ('settled_at', models.DateTimeField(null=True)),
                ('on_workload', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='dependents', to='workloads.workload')),
                ('workload', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='dependencies', to='workloads.workload')),
                ('array', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='dependencies', to='workloads.jobarray')),
                ('on_array', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='dependents', to='workloads.jobarray')),
            ],
            options={
                'verbose_name_plural': 'dependencies',
                'indexes': [models.Index(condition=models.Q(('settled_at', None)), fields=['id'], name='dependency_unsettled')],
                'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('array__isnull', False), ('workload', None)), models.Q(('array', None), ('workload__isnull', False)), _connector='OR'), name='dependency_of_one'), models.CheckConstraint(condition=models.Q(models.Q(('on_array__isnull', False), ('on_workload', None)), models.Q(('on_array', None), ('on_workload__isnull', False)), _connector='OR'), name='dependency_on_one'), models.CheckConstraint(condition=models.Q(('type__in', ['after', 'after_ok', 'after_any'])), name='dependency_type_known')],
            },
        ),
        migrations.CreateModel(
            name='Recovery',
            fields=[
                ('id', models.UUIDField(default=portal.common.ids.new_id, editable=False, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(default=portal.common.clock.now, editable=False)),
                ('data_until', models.DateTimeField(null=True)),
                ('noticed_on', models.CharField(blank=True, max_length=63)),
                ('finished_at', models.DateTimeField(null=True)),
                ('finished_by', models.CharField(blank=True, max_length=100)),
            ],
            options={
                'constraints': [models.UniqueConstraint(condition=models.Q(('finished_at', None)), fields=('finished_at',), name='recovery_one_open', nulls_distinct=False)],
            },
        ),
        migrations.CreateModel(
            name='SchedulerPass',
            fields=[
                ('id', models.PositiveSmallIntegerField(default=1, primary_key=True, serialize=False)),
                ('at', models.DateTimeField(default=portal.common.clock.now)),
                ('boards', models.JSONField(default=list)),
                ('reservations', models.JSONField(default=list)),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(('id', 1)), name='scheduler_pass_one_row')],
            },
        ),
        migrations.CreateModel(
            name='WorkloadEvent',
            fields=[
                ('id', models.BigAutoField(primary_key=True, serialize=False)),
                ('owner_id', models.UUIDField()),
                ('group_id', models.UUIDField()),
                ('pool_id', models.UUIDField()),
                ('at', models.DateTimeField(default=portal.common.clock.now)),
                ('from_state', models.CharField(blank=True, max_length=16)),
                ('to_state', models.CharField(max_length=16)),
                ('epoch', models.PositiveIntegerField()),
                ('cause', models.CharField(blank=True, max_length=64)),
                ('params', models.JSONField(default=dict)),
                ('actor_kind', models.CharField(max_length=8)),
                ('actor_id', models.CharField(blank=True, max_length=36)),
                ('workload', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='events', to='workloads.workload')),
            ],
            options={
                'indexes': [models.Index(fields=['workload', 'id'], name='event_by_workload'), models.Index(fields=['owner_id', '-id'], name='event_by_owner'), models.Index(fields=['group_id', '-id'], name='event_by_group'), models.Index(fields=['pool_id', '-id'], name='event_by_pool')],
            },
        ),
        migrations.CreateModel(
            name='AllocationDevice',
            fields=[
                ('id', models.BigAutoField(primary_key=True, serialize=False)),
                ('slot', models.PositiveSmallIntegerField(default=0)),
                ('slices', models.PositiveSmallIntegerField(default=1)),
                ('gpu_milli', models.PositiveSmallIntegerField(db_default=0, default=0)),
                ('counted_milli', models.PositiveSmallIntegerField(db_default=0, default=0)),
                ('memory_mib', models.PositiveIntegerField()),
                ('held_from', models.DateTimeField(default=portal.common.clock.now)),
                ('claim_mode', models.CharField(max_length=16, null=True)),
                ('released_at', models.DateTimeField(null=True)),
                ('accelerator', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='inventory.accelerator')),
                ('allocation', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='devices', to='workloads.allocation')),
            ],
            options={
                'constraints': [models.UniqueConstraint(condition=models.Q(('released_at', None)), fields=('accelerator', 'slot'), name='device_one_live_holder'), models.CheckConstraint(condition=models.Q(models.Q(('gpu_milli', 0), ('slot__lt', models.F('slices'))), models.Q(('gpu_milli__range', (1, 999)), ('slices', 1)), _connector='OR'), name='device_slot_exists'), models.CheckConstraint(condition=models.Q(models.Q(('claim_mode__isnull', False), ('released_at', None)), models.Q(('claim_mode', None), ('released_at__isnull', False)), _connector='OR'), name='device_claim_while_live')],
            },
        ),
        migrations.CreateModel(
            name='DailyGpuUse',
            fields=[
                ('id', models.BigAutoField(primary_key=True, serialize=False)),
                ('day', models.DateField()),
                ('gpu_milli_ms', models.BigIntegerField(default=0)),
                ('group', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenancy.group')),
                ('pool', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='inventory.pool')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('group', 'user', 'pool', 'day'), name='daily_gpu_use_once')],
            },
        ),
        migrations.CreateModel(
            name='DecayedGpuUse',
            fields=[
                ('id', models.BigAutoField(primary_key=True, serialize=False)),
                ('gpu_milli_ms', models.BigIntegerField(default=0)),
                ('at', models.DateTimeField()),
                ('group', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='tenancy.group')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('group', 'user'), name='decayed_gpu_use_once')],
            },
        ),
        migrations.CreateModel(
            name='ForgottenContainer',
            fields=[
                ('id', models.UUIDField(default=portal.common.ids.new_id, editable=False, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(default=portal.common.clock.now, editable=False)),
                ('allocation', models.CharField(max_length=128)),
                ('epoch', models.PositiveIntegerField()),
                ('rank', models.PositiveSmallIntegerField(default=0)),
                ('phase', models.CharField(max_length=16)),
                ('listed_seq', models.BigIntegerField()),
                ('devices', models.JSONField(null=True)),
                ('started_at', models.DateTimeField(null=True)),
                ('was_over', models.BooleanField(default=False)),
                ('waits_for', models.CharField(blank=True, max_length=32)),
                ('stopped_at', models.DateTimeField(null=True)),
                ('node', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='forgotten_containers', to='inventory.node')),
                ('workload', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='workloads.workload')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('node', 'allocation', 'epoch'), name='forgotten_once_per_attempt')],
            },
        ),
        migrations.RunSQL(GUARDS),
        migrations.RunSQL(SHARES),
        migrations.RunSQL(QUEUE_STORAGE),
    ]
