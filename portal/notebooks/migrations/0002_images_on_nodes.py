# Images that nodes have, orders to pull one, and what a scanner has found in them.

import django.db.models.deletion
import portal.common.clock
import portal.common.ids
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('catalog', '0001_tables'),
        ('environments', '0001_tables'),
        ('inventory', '0001_tables'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='NodeImageList',
            fields=[
                ('node', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='+', serialize=False, to='inventory.node')),
                ('images', models.JSONField(default=list)),
                ('reported_at', models.DateTimeField()),
            ],
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
    ]
