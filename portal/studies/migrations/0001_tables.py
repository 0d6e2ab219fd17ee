import django.db.models.deletion
import portal.common.clock
import portal.common.ids
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    replaces = [('studies', '0001_questions'), ('studies', '0002_gpu_hours'), ('studies', '0003_findings_and_times')]

    initial = True

    dependencies = [
        ('identity', '__first__'),
    ]

    operations = [
        migrations.CreateModel(
            name='Study',
            fields=[
                ('id', models.UUIDField(default=portal.common.ids.new_id, editable=False, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(default=portal.common.clock.now, editable=False)),
                ('title', models.CharField(blank=True, max_length=100)),
                ('days', models.PositiveSmallIntegerField()),
                ('change', models.JSONField()),
                ('phase', models.CharField(choices=[('waiting', 'Waiting'), ('running', 'Running'), ('done', 'Done'), ('failed', 'Failed')], default='waiting', max_length=8)),
                ('failure', models.CharField(blank=True, max_length=32)),
                ('findings', models.JSONField(null=True)),
                ('started_at', models.DateTimeField(null=True)),
                ('ended_at', models.DateTimeField(null=True)),
                ('asked_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'constraints': [models.UniqueConstraint(models.Value(1), condition=models.Q(('phase', 'running')), name='study_one_at_a_time'), models.CheckConstraint(condition=models.Q(('phase__in', ['waiting', 'running', 'done', 'failed'])), name='study_phase_known'), models.CheckConstraint(condition=models.Q(models.Q(('findings__isnull', False), ('phase', 'done'), models.Q(('findings', None), _negated=True)), models.Q(models.Q(('phase', 'done'), _negated=True), ('findings__isnull', True)), _connector='OR'), name='study_done_has_findings'), models.CheckConstraint(condition=models.Q(('ended_at', None), models.Q(('ended_at__gte', models.F('started_at')), ('started_at__isnull', False)), _connector='OR'), name='study_ends_after_it_starts')],
            },
        ),
    ]
