import django.contrib.postgres.fields
import django.db.models.deletion
import portal.common.clock
import portal.common.ids
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    replaces = [('environments', '0001_initial'), ('environments', '0002_initial'), ('environments', '0003_schedules'), ('environments', '0004_saved_images'), ('environments', '0005_access_shares'), ('environments', '0006_foreign_keys_indexed_once')]

    initial = True

    dependencies = [
        ('catalog', '0001_tables'),
        ('identity', '__first__'),
        ('inventory', '0001_tables'),
        ('workloads', '0001_tables'),
    ]

    operations = [
        migrations.CreateModel(
            name='Grant',
            fields=[
                ('id', models.UUIDField(default=portal.common.ids.new_id, editable=False, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(default=portal.common.clock.now, editable=False)),
                ('digest', models.CharField(max_length=64, unique=True)),
                ('session_key', models.CharField(blank=True, max_length=40)),
                ('expires_at', models.DateTimeField()),
                ('revoked_at', models.DateTimeField(null=True)),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('workload', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='workloads.workload')),
            ],
            options={
                'abstract': False,
            },
        ),
        migrations.CreateModel(
            name='NotebookSchedule',
            fields=[
                ('workload', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='schedule', serialize=False, to='workloads.workload')),
                ('days', django.contrib.postgres.fields.ArrayField(base_field=models.PositiveSmallIntegerField(), size=None)),
                ('start_minute', models.PositiveSmallIntegerField(null=True)),
                ('stop_minute', models.PositiveSmallIntegerField(null=True)),
                ('next_start_at', models.DateTimeField(db_index=True, null=True)),
                ('next_stop_at', models.DateTimeField(db_index=True, null=True)),
                ('warned_of', models.DateTimeField(null=True)),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(('start_minute__isnull', False), ('stop_minute__isnull', False), _connector='OR'), name='schedule_starts_or_stops')],
            },
        ),
        migrations.CreateModel(
            name='Ticket',
            fields=[
                ('id', models.UUIDField(default=portal.common.ids.new_id, editable=False, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(default=portal.common.clock.now, editable=False)),
                ('digest', models.CharField(max_length=64, unique=True)),
                ('session_key', models.CharField(blank=True, max_length=40)),
                ('expires_at', models.DateTimeField()),
                ('used_at', models.DateTimeField(null=True)),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('workload', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='workloads.workload')),
            ],
            options={
                'abstract': False,
            },
        ),
        migrations.CreateModel(
            name='AccessShare',
            fields=[
                ('id', models.UUIDField(default=portal.common.ids.new_id, editable=False, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(default=portal.common.clock.now, editable=False)),
                ('is_full', models.BooleanField()),
                ('expires_at', models.DateTimeField()),
                ('recipient', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('workload', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='workloads.workload')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('workload', 'recipient'), name='access_share_once')],
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
    ]
