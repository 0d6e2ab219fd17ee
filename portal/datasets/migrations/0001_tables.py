import django.db.models.deletion
import portal.common.clock
import portal.common.ids
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    replaces = [('datasets', '0001_named_folders'), ('datasets', '0002_versions'), ('datasets', '0003_publications')]

    initial = True

    dependencies = [
        ('identity', '__first__'),
        ('tenancy', '0001_tables'),
    ]

    operations = [
        migrations.CreateModel(
            name='Dataset',
            fields=[
                ('id', models.UUIDField(default=portal.common.ids.new_id, editable=False, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(default=portal.common.clock.now, editable=False)),
                ('name', models.CharField(max_length=63, unique=True)),
                ('description', models.CharField(blank=True, max_length=300)),
                ('is_for_everybody', models.BooleanField(default=False)),
                ('last_number', models.PositiveIntegerField(default=0)),
                ('groups', models.ManyToManyField(related_name='+', to='tenancy.group')),
                ('owner', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenancy.group')),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(('name__regex', '^[a-z0-9][a-z0-9._-]{0,62}$')), name='dataset_name_is_a_folder')],
            },
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
        migrations.CreateModel(
            name='DatasetVersion',
            fields=[
                ('id', models.UUIDField(default=portal.common.ids.new_id, editable=False, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(default=portal.common.clock.now, editable=False)),
                ('number', models.PositiveIntegerField()),
                ('alias', models.CharField(blank=True, max_length=32)),
                ('note', models.CharField(blank=True, max_length=300)),
                ('state', models.CharField(choices=[('ready', 'Ready'), ('retired', 'Retired')], default='ready', max_length=9)),
                ('place', models.CharField(choices=[('nodes', 'Nodes'), ('storage', 'Storage')], db_default='nodes', default='nodes', max_length=7)),
                ('path', models.CharField(max_length=400)),
                ('size_bytes', models.PositiveBigIntegerField(null=True)),
                ('file_count', models.PositiveBigIntegerField(null=True)),
                ('measured_at', models.DateTimeField(null=True)),
                ('changed_at', models.DateTimeField(null=True)),
                ('dataset', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='versions', to='datasets.dataset')),
                ('made_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('dataset', 'number'), name='dataset_version_once'), models.UniqueConstraint(condition=models.Q(('alias', ''), _negated=True), fields=('dataset', 'alias'), name='dataset_alias_once'), models.UniqueConstraint(fields=('dataset', 'path'), name='dataset_path_once'), models.CheckConstraint(condition=models.Q(('number__gte', 1)), name='dataset_version_counts_from_1')],
            },
        ),
    ]
