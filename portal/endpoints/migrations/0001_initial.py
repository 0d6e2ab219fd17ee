# Tickets, grants and shares come from the app of notebooks with their tables and rows.

import django.db.models.deletion
import portal.common.clock
import portal.common.ids
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('environments', '0006_endpoints_move'),
        ('identity', '0004_access_ended_at'),
        ('workloads', '0001_tables'),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.CreateModel(
                    name='Grant',
                    fields=[
                        ('id', models.UUIDField(default=portal.common.ids.new_id, editable=False, primary_key=True, serialize=False)),
                        ('created_at', models.DateTimeField(default=portal.common.clock.now, editable=False)),
                        ('digest', models.CharField(max_length=64, unique=True)),
                        ('session_key', models.CharField(blank=True, max_length=40)),
                        ('token', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='identity.apitoken')),
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
                    name='Ticket',
                    fields=[
                        ('id', models.UUIDField(default=portal.common.ids.new_id, editable=False, primary_key=True, serialize=False)),
                        ('created_at', models.DateTimeField(default=portal.common.clock.now, editable=False)),
                        ('digest', models.CharField(max_length=64, unique=True)),
                        ('session_key', models.CharField(blank=True, max_length=40)),
                        ('token', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='identity.apitoken')),
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
            ],
        ),
    ]
