# Images that people save, and logins of registries, come with their tables and rows.

import django.db.models.deletion
import portal.common.clock
import portal.common.ids
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('catalog', '0006_saved_images'),
        ('environments', '0005_images'),
        ('inventory', '0006_agent_instances'),
        ('tenancy', '0001_tables'),
        ('workloads', '0011_expected_starts'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.CreateModel(
                    name='ImageScan',
                    fields=[
                        ('image', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='scan', serialize=False, to='catalog.image')),
                        ('state', models.CharField(choices=[('waiting', 'Waiting'), ('running', 'Running'), ('done', 'Done'), ('failed', 'Failed')], default='waiting', max_length=16)),
                        ('asked_at', models.DateTimeField(default=portal.common.clock.now)),
                        ('started_at', models.DateTimeField(null=True)),
                        ('ended_at', models.DateTimeField(null=True)),
                        ('detail', models.CharField(blank=True, max_length=200)),
                        ('reference', models.CharField(blank=True, max_length=300)),
                        ('scanned_reference', models.CharField(blank=True, max_length=300)),
                        ('scanned_at', models.DateTimeField(null=True)),
                        ('counts', models.JSONField(default=dict)),
                        ('findings', models.JSONField(default=list)),
                    ],
                    options={
                        'indexes': [models.Index(condition=models.Q(('state__in', ['waiting', 'running'])), fields=['asked_at'], name='image_scan_to_do')],
                        'constraints': [models.CheckConstraint(condition=models.Q(('state__in', ['waiting', 'running', 'done', 'failed'])), name='image_scan_state_known')],
                    },
                ),
                migrations.CreateModel(
                    name='RegistryCredential',
                    fields=[
                        ('id', models.UUIDField(default=portal.common.ids.new_id, editable=False, primary_key=True, serialize=False)),
                        ('created_at', models.DateTimeField(default=portal.common.clock.now, editable=False)),
                        ('host', models.CharField(max_length=200, unique=True)),
                        ('username', models.CharField(max_length=200)),
                        ('encrypted_password', models.TextField()),
                        ('changed_at', models.DateTimeField()),
                        ('last_used_at', models.DateTimeField(null=True)),
                        ('changed_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ],
                    options={
                        'abstract': False,
                    },
                ),
                migrations.CreateModel(
                    name='ImagePullOrder',
                    fields=[
                        ('id', models.UUIDField(default=portal.common.ids.new_id, editable=False, primary_key=True, serialize=False)),
                        ('created_at', models.DateTimeField(default=portal.common.clock.now, editable=False)),
                        ('state', models.CharField(choices=[('ordered', 'Ordered'), ('pulling', 'Pulling'), ('done', 'Done'), ('failed', 'Failed'), ('cancelled', 'Cancelled')], default='ordered', max_length=16)),
                        ('progress_pct', models.PositiveSmallIntegerField(default=0)),
                        ('detail', models.CharField(blank=True, max_length=200)),
                        ('heard_at', models.DateTimeField(default=portal.common.clock.now)),
                        ('ended_at', models.DateTimeField(null=True)),
                        ('image', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='catalog.image')),
                        ('node', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='inventory.node')),
                        ('requester', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ],
                    options={
                        'indexes': [models.Index(fields=['image', 'node', '-id'], name='image_pull_by_image')],
                        'constraints': [models.CheckConstraint(condition=models.Q(('state__in', ['ordered', 'pulling', 'done', 'failed', 'cancelled'])), name='image_pull_state_known'), models.CheckConstraint(condition=models.Q(models.Q(('ended_at', None), ('state__in', ['ordered', 'pulling'])), models.Q(models.Q(('state__in', ['ordered', 'pulling']), _negated=True), ('ended_at__isnull', False)), _connector='OR'), name='image_pull_ends_once'), models.UniqueConstraint(condition=models.Q(('state__in', ['ordered', 'pulling'])), fields=('node', 'image'), name='image_pull_one_at_a_time')],
                    },
                ),
                migrations.CreateModel(
                    name='ImageRetention',
                    fields=[
                        ('id', models.UUIDField(default=portal.common.ids.new_id, editable=False, primary_key=True, serialize=False)),
                        ('created_at', models.DateTimeField(default=portal.common.clock.now, editable=False)),
                        ('newest', models.PositiveSmallIntegerField()),
                        ('used_days', models.PositiveSmallIntegerField(null=True)),
                        ('changed_at', models.DateTimeField()),
                        ('changed_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('group', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='tenancy.group')),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(fields=('group',), name='image_retention_once', nulls_distinct=False)],
                    },
                ),
                migrations.CreateModel(
                    name='ImageSave',
                    fields=[
                        ('id', models.UUIDField(default=portal.common.ids.new_id, editable=False, primary_key=True, serialize=False)),
                        ('created_at', models.DateTimeField(default=portal.common.clock.now, editable=False)),
                        ('epoch', models.PositiveIntegerField()),
                        ('name', models.CharField(max_length=30)),
                        ('note', models.CharField(blank=True, max_length=500)),
                        ('is_shared', models.BooleanField(default=False)),
                        ('reference', models.CharField(max_length=200)),
                        ('bytes_max', models.PositiveBigIntegerField()),
                        ('state', models.CharField(choices=[('ordered', 'ordered'), ('committing', 'committing'), ('pushing', 'pushing'), ('saved', 'saved'), ('failed', 'failed'), ('cancelled', 'cancelled')], default='ordered', max_length=16)),
                        ('done_bytes', models.PositiveBigIntegerField(default=0)),
                        ('total_bytes', models.PositiveBigIntegerField(default=0)),
                        ('size_bytes', models.PositiveBigIntegerField(default=0)),
                        ('code', models.CharField(blank=True, max_length=64)),
                        ('detail', models.CharField(blank=True, max_length=200)),
                        ('heard_at', models.DateTimeField(default=portal.common.clock.now)),
                        ('ended_at', models.DateTimeField(null=True)),
                        ('cleaned_at', models.DateTimeField(null=True)),
                        ('base', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='catalog.image')),
                        ('image', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='catalog.image')),
                        ('node', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='inventory.node')),
                        ('requester', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('workload', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='workloads.workload')),
                    ],
                    options={
                        'indexes': [models.Index(condition=models.Q(('state__in', ['ordered', 'committing', 'pushing'])), fields=['node'], name='image_save_of_node'), models.Index(fields=['workload', '-id'], name='image_save_by_workload')],
                        'constraints': [models.CheckConstraint(condition=models.Q(('state__in', ['ordered', 'committing', 'pushing', 'saved', 'failed', 'cancelled'])), name='image_save_state_known'), models.CheckConstraint(condition=models.Q(models.Q(('ended_at', None), ('state__in', ['ordered', 'committing', 'pushing'])), models.Q(models.Q(('state__in', ['ordered', 'committing', 'pushing']), _negated=True), ('ended_at__isnull', False)), _connector='OR'), name='image_save_ends_once'), models.CheckConstraint(condition=models.Q(models.Q(('image__isnull', False), ('state', 'saved')), models.Q(models.Q(('state', 'saved'), _negated=True), ('image', None)), _connector='OR'), name='image_save_has_an_image_when_saved'), models.UniqueConstraint(condition=models.Q(('state__in', ['ordered', 'committing', 'pushing'])), fields=('workload',), name='image_save_one_at_a_time')],
                    },
                ),
                migrations.CreateModel(
                    name='SavedImage',
                    fields=[
                        ('image', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, primary_key=True, related_name='saved', serialize=False, to='catalog.image')),
                        ('workload_id', models.UUIDField()),
                        ('workload_name', models.CharField(max_length=63)),
                        ('digest', models.CharField(max_length=71)),
                        ('size_bytes', models.PositiveBigIntegerField()),
                        ('removed_at', models.DateTimeField(null=True)),
                        ('deleted_at', models.DateTimeField(null=True)),
                        ('is_pinned', models.BooleanField(db_default=False, default=False)),
                        ('expiry_noticed_at', models.DateTimeField(null=True)),
                        ('base', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='catalog.image')),
                        ('workload_group', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenancy.group')),
                    ],
                    options={
                        'constraints': [models.CheckConstraint(condition=models.Q(('deleted_at', None), ('removed_at__isnull', False), _connector='OR'), name='saved_image_removed_before_deleted')],
                    },
                ),
            ],
        ),
    ]
