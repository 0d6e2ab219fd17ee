"""Groups own data sets, and publish folders as versions of them."""

import django.db.models.deletion
import portal.common.clock
import portal.common.ids
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('datasets', '0002_versions'),
        ('tenancy', '0003_foreign_keys_indexed_once'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name='dataset',
            name='owner',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenancy.group'),
        ),
        migrations.AddField(
            model_name='datasetversion',
            name='place',
            field=models.CharField(choices=[('nodes', 'Nodes'), ('storage', 'Storage')], db_default='nodes', default='nodes', max_length=7),
        ),
        migrations.CreateModel(
            name='DatasetPublication',
            fields=[
                ('id', models.UUIDField(default=portal.common.ids.new_id, editable=False, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(default=portal.common.clock.now, editable=False)),
                ('name', models.CharField(max_length=63)),
                ('source', models.CharField(choices=[('volume', 'Volume'), ('job', 'Job')], max_length=6)),
                ('source_id', models.UUIDField()),
                ('source_path', models.TextField(blank=True)),
                ('alias', models.CharField(blank=True, max_length=32)),
                ('note', models.CharField(blank=True, max_length=300)),
                ('state', models.CharField(choices=[('waiting', 'Waiting'), ('copying', 'Copying'), ('done', 'Done'), ('failed', 'Failed'), ('cancelled', 'Cancelled')], default='waiting', max_length=9)),
                ('number', models.PositiveIntegerField(null=True)),
                ('failure', models.JSONField(null=True)),
                ('bytes_total', models.PositiveBigIntegerField(null=True)),
                ('files_total', models.PositiveBigIntegerField(null=True)),
                ('bytes_done', models.PositiveBigIntegerField(default=0)),
                ('files_done', models.PositiveBigIntegerField(default=0)),
                ('left_out', models.PositiveBigIntegerField(default=0)),
                ('touched_at', models.DateTimeField(default=portal.common.clock.now)),
                ('ended_at', models.DateTimeField(null=True)),
                ('is_removed', models.BooleanField(default=False)),
                ('dataset', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='publications', to='datasets.dataset')),
                ('made_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'constraints': [models.UniqueConstraint(condition=models.Q(('state__in', ['waiting', 'copying'])), fields=('dataset',), name='publication_one_at_a_time')],
            },
        ),
    ]
