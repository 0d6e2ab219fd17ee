import django.contrib.postgres.fields
import django.db.models.deletion
import portal.common.clock
import portal.common.ids
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    replaces = [('alarms', '0001_initial'), ('alarms', '0002_foreign_keys_indexed_once'), ('alarms', '0003_budgets_and_acts')]

    initial = True

    dependencies = [
        ('identity', '__first__'),
        ('inventory', '0001_tables'),
        ('tenancy', '0001_tables'),
    ]

    operations = [
        migrations.CreateModel(
            name='AlarmChannel',
            fields=[
                ('id', models.UUIDField(default=portal.common.ids.new_id, editable=False, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(default=portal.common.clock.now, editable=False)),
                ('name', models.CharField(max_length=63, unique=True)),
                ('kind', models.CharField(choices=[('webhook', 'Webhook'), ('dingtalk', 'Dingtalk'), ('feishu', 'Feishu'), ('lark', 'Lark'), ('wecom', 'Wecom'), ('slack', 'Slack'), ('teams', 'Teams')], max_length=16)),
                ('encrypted_address', models.TextField()),
                ('encrypted_secret', models.TextField(blank=True)),
                ('host', models.CharField(max_length=255)),
                ('language', models.CharField(default='en', max_length=8)),
                ('enabled', models.BooleanField(default=True)),
                ('delivered_at', models.DateTimeField(null=True)),
                ('failed_at', models.DateTimeField(null=True)),
                ('failure', models.CharField(blank=True, max_length=40)),
            ],
            options={
                'abstract': False,
            },
        ),
        migrations.CreateModel(
            name='AlarmRule',
            fields=[
                ('id', models.UUIDField(default=portal.common.ids.new_id, editable=False, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(default=portal.common.clock.now, editable=False)),
                ('kind', models.CharField(choices=[('gpu_idle', 'gpu_idle'), ('gpu_hot', 'gpu_hot'), ('gpu_fault', 'gpu_fault'), ('node_silent', 'node_silent'), ('work_waiting', 'work_waiting'), ('quota_near', 'quota_near'), ('budget_near', 'budget_near'), ('time_limit_near', 'time_limit_near'), ('disk_near_full', 'disk_near_full'), ('volume_near_full', 'volume_near_full')], max_length=24)),
                ('name', models.CharField(blank=True, max_length=63)),
                ('is_shipped', models.BooleanField(default=False)),
                ('enabled', models.BooleanField(default=True)),
                ('severity', models.CharField(choices=[('info', 'info'), ('warning', 'warning'), ('critical', 'critical')], max_length=8)),
                ('threshold', models.PositiveIntegerField()),
                ('duration_s', models.PositiveIntegerField()),
                ('quiet_from', models.PositiveSmallIntegerField(null=True)),
                ('quiet_until', models.PositiveSmallIntegerField(null=True)),
                ('audience', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(choices=[('owner', 'owner'), ('group_admins', 'group_admins'), ('staff', 'staff')], max_length=16), blank=True, default=list, size=None)),
                ('act', models.CharField(blank=True, choices=[('', ''), ('cordon_node', 'cordon_node'), ('stop_notebook', 'stop_notebook'), ('release_gpus', 'release_gpus'), ('requeue_job', 'requeue_job'), ('cancel_job', 'cancel_job')], default='', max_length=16)),
                ('channels', models.ManyToManyField(blank=True, related_name='rules', to='alarms.alarmchannel')),
                ('group', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='tenancy.group')),
                ('pool', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='inventory.pool')),
            ],
            options={
                'constraints': [models.UniqueConstraint(condition=models.Q(('is_shipped', True)), fields=('kind',), name='alarm_rule_shipped_once'), models.CheckConstraint(condition=models.Q(models.Q(('quiet_from', None), ('quiet_until', None)), models.Q(('quiet_from__isnull', False), ('quiet_from__lt', 1440), ('quiet_until__isnull', False), ('quiet_until__lt', 1440)), _connector='OR'), name='alarm_rule_quiet_hours_in_a_day')],
            },
        ),
        migrations.CreateModel(
            name='Alarm',
            fields=[
                ('id', models.UUIDField(default=portal.common.ids.new_id, editable=False, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(default=portal.common.clock.now, editable=False)),
                ('subject_type', models.CharField(choices=[('workload', 'workload'), ('accelerator', 'accelerator'), ('node', 'node'), ('quota', 'quota'), ('budget', 'budget'), ('volume', 'volume')], max_length=16)),
                ('subject_id', models.UUIDField()),
                ('subject_name', models.CharField(max_length=200)),
                ('work_kind', models.CharField(blank=True, max_length=16)),
                ('detail', models.CharField(blank=True, max_length=100)),
                ('value', models.IntegerField()),
                ('pool_id', models.UUIDField(null=True)),
                ('node_id', models.UUIDField(null=True)),
                ('state', models.CharField(choices=[('pending', 'pending'), ('firing', 'firing'), ('resolved', 'resolved')], max_length=8)),
                ('since', models.DateTimeField()),
                ('seen_at', models.DateTimeField()),
                ('clear_since', models.DateTimeField(null=True)),
                ('fired_at', models.DateTimeField(null=True)),
                ('resolved_at', models.DateTimeField(null=True)),
                ('notified_at', models.DateTimeField(null=True)),
                ('acted_at', models.DateTimeField(null=True)),
                ('outcome', models.CharField(blank=True, max_length=40)),
                ('acknowledged_at', models.DateTimeField(null=True)),
                ('comment', models.CharField(blank=True, max_length=300)),
                ('acknowledged_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('group', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='tenancy.group')),
                ('owner', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('rule', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='alarms', to='alarms.alarmrule')),
            ],
            options={
                'indexes': [models.Index(fields=['resolved_at'], name='alarm_by_end'), models.Index(fields=['group', '-id'], name='alarm_by_group'), models.Index(fields=['owner', '-id'], name='alarm_by_owner')],
                'constraints': [models.UniqueConstraint(condition=models.Q(('state', 'resolved'), _negated=True), fields=('rule', 'subject_id'), name='alarm_one_open_per_subject'), models.CheckConstraint(condition=models.Q(models.Q(('resolved_at__isnull', False), ('state', 'resolved')), models.Q(models.Q(('state', 'resolved'), _negated=True), ('resolved_at', None)), _connector='OR'), name='alarm_resolved_at_a_time')],
            },
        ),
        migrations.CreateModel(
            name='AlarmSilence',
            fields=[
                ('id', models.UUIDField(default=portal.common.ids.new_id, editable=False, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(default=portal.common.clock.now, editable=False)),
                ('subject_id', models.UUIDField(null=True)),
                ('subject_name', models.CharField(blank=True, max_length=200)),
                ('until', models.DateTimeField()),
                ('reason', models.CharField(max_length=300)),
                ('created_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('pool', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='inventory.pool')),
                ('rule', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='silences', to='alarms.alarmrule')),
            ],
            options={
                'indexes': [models.Index(fields=['until'], name='silence_by_end')],
            },
        ),
        migrations.CreateModel(
            name='AlarmDelivery',
            fields=[
                ('id', models.UUIDField(default=portal.common.ids.new_id, editable=False, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(default=portal.common.clock.now, editable=False)),
                ('payload', models.JSONField()),
                ('attempts', models.PositiveSmallIntegerField(default=0)),
                ('due_at', models.DateTimeField(default=portal.common.clock.now)),
                ('channel', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='deliveries', to='alarms.alarmchannel')),
            ],
            options={
                'indexes': [models.Index(fields=['channel', 'due_at'], name='alarm_delivery_due')],
            },
        ),
    ]
