import django.db.models.deletion
import portal.common.clock
import portal.common.ids
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    replaces = [('approvals', '0001_initial'), ('approvals', '0002_foreign_keys_indexed_once')]

    initial = True

    dependencies = [
        ('identity', '__first__'),
        ('quotas', '0001_tables'),
        ('tenancy', '0001_tables'),
        ('workloads', '0001_tables'),
    ]

    operations = [
        migrations.CreateModel(
            name='ApprovalRequest',
            fields=[
                ('id', models.UUIDField(default=portal.common.ids.new_id, editable=False, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(default=portal.common.clock.now, editable=False)),
                ('kind', models.CharField(choices=[('time_limit', 'Time Limit'), ('member_limit', 'Member Limit'), ('quota', 'Quota')], max_length=16)),
                ('state', models.CharField(choices=[('pending', 'Pending'), ('approved', 'Approved'), ('declined', 'Declined'), ('withdrawn', 'Withdrawn'), ('expired', 'Expired')], default='pending', max_length=16)),
                ('decider', models.CharField(choices=[('group_admin', 'Group Admin'), ('parent_admin', 'Parent Admin'), ('platform_admin', 'Platform Admin')], max_length=16)),
                ('asked', models.JSONField()),
                ('before', models.JSONField(default=dict)),
                ('comment', models.CharField(blank=True, max_length=500)),
                ('expires_at', models.DateTimeField()),
                ('decided_at', models.DateTimeField(null=True)),
                ('decision_comment', models.CharField(blank=True, max_length=500)),
                ('decided_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('group', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenancy.group')),
                ('quota', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='quotas.quota')),
                ('requester', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('workload', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='workloads.workload')),
            ],
            options={
                'indexes': [models.Index(condition=models.Q(('state', 'pending')), fields=['group', '-id'], name='approval_waiting'), models.Index(fields=['requester', '-id'], name='approval_by_requester')],
                'constraints': [models.UniqueConstraint(condition=models.Q(('state', 'pending')), fields=('requester', 'kind', 'group', 'workload', 'quota'), name='approval_one_pending', nulls_distinct=False), models.CheckConstraint(condition=models.Q(('state__in', ['pending', 'approved', 'declined', 'withdrawn', 'expired'])), name='approval_state_known'), models.CheckConstraint(condition=models.Q(models.Q(('decided_at', None), ('state', 'pending')), models.Q(models.Q(('state', 'pending'), _negated=True), ('decided_at__isnull', False)), _connector='OR'), name='approval_decided_once'), models.CheckConstraint(condition=models.Q(models.Q(('kind', 'time_limit'), ('quota', None), ('workload__isnull', False)), models.Q(('kind', 'quota'), ('quota__isnull', False), ('workload', None)), models.Q(('kind', 'member_limit'), ('quota', None), ('workload', None)), _connector='OR'), name='approval_has_its_subject')],
            },
        ),
    ]
