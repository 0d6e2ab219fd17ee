import django.db.models.deletion
import portal.common.clock
import portal.common.ids
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('identity', '__first__'),
        ('inventory', '0001_tables'),
        ('tenancy', '0001_tables'),
    ]

    operations = [
        migrations.CreateModel(
            name='Volume',
            fields=[
                ('id', models.UUIDField(default=portal.common.ids.new_id, editable=False, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(default=portal.common.clock.now, editable=False)),
                ('kind', models.CharField(choices=[('home', 'Home'), ('group', 'Group')], max_length=8)),
                ('name', models.CharField(max_length=63)),
                ('description', models.CharField(blank=True, max_length=300)),
                ('quota_mib', models.PositiveBigIntegerField(default=0)),
                ('writers', models.CharField(choices=[('developer', 'Developer'), ('group_admin', 'Group Admin'), ('nobody', 'Nobody')], default='developer', max_length=12)),
                ('is_writable_below', models.BooleanField(default=False)),
                ('state', models.CharField(choices=[('active', 'Active'), ('trashed', 'Trashed')], default='active', max_length=8)),
                ('trashed_at', models.DateTimeField(null=True)),
                ('location', models.CharField(choices=[('unused', 'Unused'), ('shared', 'Shared'), ('node', 'Node')], default='unused', max_length=8)),
                ('used_mib', models.PositiveBigIntegerField(null=True)),
                ('measured_at', models.DateTimeField(null=True)),
                ('group', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='volumes', to='tenancy.group')),
                ('node', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='inventory.node')),
                ('owner', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='volumes', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'indexes': [models.Index(models.OrderBy(models.F('measured_at'), nulls_first=True), name='volume_by_measurement')],
                'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('group', None), ('kind', 'home'), ('owner__isnull', False)), models.Q(('group__isnull', False), ('kind', 'group'), ('owner', None)), _connector='OR'), name='volume_has_one_owner'), models.CheckConstraint(condition=models.Q(('name__regex', '^[a-z0-9][a-z0-9._-]{0,62}$')), name='volume_name_is_a_folder'), models.CheckConstraint(condition=models.Q(models.Q(('state', 'active'), ('trashed_at', None)), models.Q(('state', 'trashed'), ('trashed_at__isnull', False)), _connector='OR'), name='volume_trashed_at_a_time'), models.CheckConstraint(condition=models.Q(('node', None), ('location', 'node'), _connector='OR'), name='volume_lies_on_its_node'), models.UniqueConstraint(condition=models.Q(('state', 'active')), fields=('owner',), name='volume_one_home'), models.UniqueConstraint(condition=models.Q(('state', 'active')), fields=('group', 'name'), name='volume_once_per_group')],
            },
        ),
    ]
