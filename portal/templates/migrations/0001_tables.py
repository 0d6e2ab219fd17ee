import django.db.models.deletion
import portal.common.clock
import portal.common.ids
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    replaces = [('templates', '0001_initial'), ('templates', '0002_foreign_keys_indexed_once')]

    initial = True

    dependencies = [
        ('identity', '__first__'),
        ('tenancy', '0001_tables'),
    ]

    operations = [
        migrations.CreateModel(
            name='SubmissionTemplate',
            fields=[
                ('id', models.UUIDField(default=portal.common.ids.new_id, editable=False, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(default=portal.common.clock.now, editable=False)),
                ('kind', models.CharField(choices=[('environment', 'Environment'), ('training', 'Training')], max_length=11)),
                ('name', models.CharField(max_length=63)),
                ('description', models.CharField(blank=True, max_length=300)),
                ('settings', models.JSONField()),
                ('locked', models.JSONField(default=list)),
                ('ranges', models.JSONField(default=dict)),
                ('version', models.PositiveIntegerField(default=1)),
                ('changed_at', models.DateTimeField()),
                ('changed_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('group', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='templates', to='tenancy.group')),
                ('user', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='templates', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(('user', None), ('group', None), _connector='OR'), name='template_has_one_owner'), models.UniqueConstraint(fields=('user', 'group', 'kind', 'name'), name='template_once_per_owner', nulls_distinct=False)],
            },
        ),
    ]
