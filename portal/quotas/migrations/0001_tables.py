import django.contrib.postgres.fields
import django.db.models.deletion
import portal.common.clock
import portal.common.ids
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    replaces = [('quotas', '0001_initial'), ('quotas', '0002_engine'), ('quotas', '0003_run_time_of_members'), ('quotas', '0004_gpu_hours'), ('quotas', '0005_user_ceiling_not_negative'), ('quotas', '0006_queued_arrays'), ('quotas', '0007_limits_of_members'), ('quotas', '0008_model_of_gpus'), ('quotas', '0009_history_of_changes'), ('quotas', '0010_budgets_of_money'), ('quotas', '0011_foreign_keys_indexed_once'), ('quotas', '0012_history_of_members')]

    initial = True

    dependencies = [
        ('identity', '__first__'),
        ('inventory', '0001_tables'),
        ('tenancy', '0001_tables'),
    ]

    operations = [
        migrations.CreateModel(
            name='Budget',
            fields=[
                ('id', models.UUIDField(default=portal.common.ids.new_id, editable=False, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(default=portal.common.clock.now, editable=False)),
                ('period', models.CharField(choices=[('day', 'Day'), ('week', 'Week'), ('month', 'Month')], max_length=8)),
                ('gpu_hours', models.PositiveIntegerField(null=True)),
                ('money_micros', models.PositiveBigIntegerField(null=True)),
                ('currency', models.CharField(blank=True, db_default='', default='', max_length=3)),
                ('group', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='budgets', to='tenancy.group')),
                ('pool', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='inventory.pool')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('group', 'pool', 'period'), name='budget_once', nulls_distinct=False), models.CheckConstraint(condition=models.Q(models.Q(('currency', ''), ('gpu_hours__isnull', False), ('money_micros', None)), models.Q(('gpu_hours', None), ('money_micros__isnull', False), models.Q(('currency', ''), _negated=True)), _connector='OR'), name='budget_in_one_unit')],
            },
        ),
        migrations.CreateModel(
            name='BudgetSpending',
            fields=[
                ('id', models.BigAutoField(primary_key=True, serialize=False)),
                ('first_day', models.DateField()),
                ('counted_until', models.DateTimeField()),
                ('cost', models.DecimalField(decimal_places=0, max_digits=40)),
                ('unpriced', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=100), default=list, size=None)),
                ('budget', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='spending', to='quotas.budget')),
            ],
        ),
        migrations.CreateModel(
            name='GpuPrice',
            fields=[
                ('id', models.UUIDField(default=portal.common.ids.new_id, editable=False, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(default=portal.common.clock.now, editable=False)),
                ('model', models.CharField(max_length=100)),
                ('valid_from', models.DateField()),
                ('hourly_micros', models.PositiveBigIntegerField()),
                ('currency', models.CharField(max_length=3)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('model', 'valid_from'), name='gpu_price_once')],
            },
        ),
        migrations.CreateModel(
            name='GroupLimit',
            fields=[
                ('id', models.UUIDField(default=portal.common.ids.new_id, editable=False, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(default=portal.common.clock.now, editable=False)),
                ('pending_per_user_max', models.PositiveIntegerField(default=10000, null=True)),
                ('running_per_user_max', models.PositiveIntegerField(null=True)),
                ('environments_per_user_max', models.PositiveIntegerField(default=5, null=True)),
                ('time_limit_s_max', models.PositiveIntegerField(null=True)),
                ('extension_s_max', models.PositiveIntegerField(default=86400)),
                ('developer_priority_max', models.SmallIntegerField(default=100)),
                ('group_admin_priority_max', models.SmallIntegerField(default=100)),
                ('group', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='limit', to='tenancy.group')),
            ],
            options={
                'abstract': False,
            },
        ),
        migrations.CreateModel(
            name='MemberLimit',
            fields=[
                ('id', models.UUIDField(default=portal.common.ids.new_id, editable=False, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(default=portal.common.clock.now, editable=False)),
                ('time_limit_s_max', models.PositiveIntegerField(null=True)),
                ('pending_max', models.PositiveIntegerField(null=True)),
                ('running_max', models.PositiveIntegerField(null=True)),
                ('environments_max', models.PositiveIntegerField(null=True)),
                ('priority_max', models.SmallIntegerField(null=True)),
                ('group', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='tenancy.group')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('group', 'user'), name='member_limit_once')],
            },
        ),
        migrations.CreateModel(
            name='Quota',
            fields=[
                ('id', models.UUIDField(default=portal.common.ids.new_id, editable=False, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(default=portal.common.clock.now, editable=False)),
                ('resource', models.CharField(choices=[('gpu', 'gpu'), ('gpu_memory', 'gpu_memory'), ('cpu', 'cpu'), ('memory', 'memory')], max_length=16)),
                ('model', models.CharField(blank=True, db_default='', default='', max_length=100)),
                ('guarantee', models.BigIntegerField(default=0)),
                ('deserved', models.BigIntegerField(default=0)),
                ('ceiling', models.BigIntegerField(null=True)),
                ('user_ceiling', models.BigIntegerField(null=True)),
                ('weight', models.CharField(choices=[('high', 'High'), ('medium', 'Medium'), ('low', 'Low'), ('lowest', 'Lowest'), ('none', 'None')], default='medium', max_length=8)),
                ('used', models.BigIntegerField(default=0)),
                ('group', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='quotas', to='tenancy.group')),
                ('pool', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='quotas', to='inventory.pool')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('group', 'pool', 'resource', 'model'), name='quota_once', nulls_distinct=False), models.CheckConstraint(condition=models.Q(('model', ''), models.Q(('deserved', 0), ('guarantee', 0), ('resource', 'gpu')), _connector='OR'), name='quota_of_a_model_is_a_ceiling_of_gpus'), models.CheckConstraint(condition=models.Q(('used__gte', 0)), name='quota_use_not_negative'), models.CheckConstraint(condition=models.Q(('deserved__gte', models.F('guarantee')), ('guarantee__gte', 0), models.Q(('ceiling', None), ('ceiling__gte', models.F('deserved')), _connector='OR')), name='quota_limits_in_order'), models.CheckConstraint(condition=models.Q(('user_ceiling', None), ('user_ceiling__gte', 0), _connector='OR'), name='quota_user_ceiling_not_negative'), models.CheckConstraint(condition=models.Q(('resource__in', ['gpu', 'gpu_memory', 'cpu', 'memory'])), name='quota_resource_known')],
            },
        ),
        migrations.CreateModel(
            name='MemberCeiling',
            fields=[
                ('id', models.UUIDField(default=portal.common.ids.new_id, editable=False, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(default=portal.common.clock.now, editable=False)),
                ('ceiling', models.BigIntegerField()),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('quota', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='member_ceilings', to='quotas.quota')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('quota', 'user'), name='member_ceiling_once'), models.CheckConstraint(condition=models.Q(('ceiling__gte', 0)), name='member_ceiling_not_negative')],
            },
        ),
        migrations.CreateModel(
            name='QuotaChange',
            fields=[
                ('id', models.UUIDField(default=portal.common.ids.new_id, editable=False, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(default=portal.common.clock.now, editable=False)),
                ('actor_name', models.CharField(max_length=100)),
                ('reason', models.CharField(blank=True, max_length=500)),
                ('actor', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('undoes', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='undone_by', to='quotas.quotachange')),
            ],
            options={
                'abstract': False,
            },
        ),
        migrations.CreateModel(
            name='MemberCeilingChange',
            fields=[
                ('id', models.BigAutoField(primary_key=True, serialize=False)),
                ('resource', models.CharField(max_length=16)),
                ('model', models.CharField(blank=True, max_length=100)),
                ('before', models.BigIntegerField(null=True)),
                ('after', models.BigIntegerField(null=True)),
                ('group', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='tenancy.group')),
                ('pool', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='inventory.pool')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('change', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='members', to='quotas.quotachange')),
            ],
            options={
                'indexes': [models.Index(fields=['group', '-change'], name='ceiling_change_by_group')],
            },
        ),
        migrations.CreateModel(
            name='QuotaChangeItem',
            fields=[
                ('id', models.BigAutoField(primary_key=True, serialize=False)),
                ('resource', models.CharField(max_length=16)),
                ('model', models.CharField(blank=True, max_length=100)),
                ('before', models.JSONField(null=True)),
                ('after', models.JSONField(null=True)),
                ('change', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='items', to='quotas.quotachange')),
                ('group', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='tenancy.group')),
                ('pool', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='inventory.pool')),
            ],
            options={
                'indexes': [models.Index(fields=['group', '-change'], name='quota_change_by_group')],
            },
        ),
        migrations.CreateModel(
            name='UserUse',
            fields=[
                ('id', models.BigAutoField(primary_key=True, serialize=False)),
                ('used', models.BigIntegerField(default=0)),
                ('quota', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='user_uses', to='quotas.quota')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('quota', 'user'), name='user_use_once'), models.CheckConstraint(condition=models.Q(('used__gte', 0)), name='user_use_not_negative')],
            },
        ),
    ]
