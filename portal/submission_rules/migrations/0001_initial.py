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
            name='SubmissionRules',
            fields=[
                ('id', models.UUIDField(default=portal.common.ids.new_id, editable=False, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(default=portal.common.clock.now, editable=False)),
                ('kind', models.CharField(choices=[('environment', 'Environment'), ('training', 'Training')], max_length=11)),
                ('defaults', models.JSONField(default=dict)),
                ('locked', models.JSONField(default=list)),
                ('required', models.JSONField(default=list)),
                ('ranges', models.JSONField(default=dict)),
                ('choices', models.JSONField(default=dict)),
                ('version', models.PositiveIntegerField(default=1)),
                ('changed_at', models.DateTimeField()),
                ('changed_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('group', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='submission_rules', to='tenancy.group')),
                ('pool', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='submission_rules', to='inventory.pool')),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(('group', None), ('pool', None), _connector='XOR'), name='submission_rules_have_one_owner'), models.UniqueConstraint(fields=('group', 'pool', 'kind'), name='submission_rules_once_per_owner', nulls_distinct=False)],
            },
        ),
    ]
