# Web apps come with their table and rows.

import django.db.models.deletion
import portal.common.clock
import portal.common.ids
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('catalog', '0007_web_apps'),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.CreateModel(
                    name='WebApp',
                    fields=[
                        ('id', models.UUIDField(default=portal.common.ids.new_id, editable=False, primary_key=True, serialize=False)),
                        ('created_at', models.DateTimeField(default=portal.common.clock.now, editable=False)),
                        ('name', models.SlugField(max_length=63, unique=True)),
                        ('title_en', models.CharField(max_length=100)),
                        ('title_zh', models.CharField(max_length=100)),
                        ('description_en', models.CharField(blank=True, max_length=500)),
                        ('description_zh', models.CharField(blank=True, max_length=500)),
                        ('icon', models.CharField(choices=[('chart', 'Chart'), ('experiment', 'Experiment'), ('code', 'Code'), ('table', 'Table'), ('app', 'App')], default='app', max_length=16)),
                        ('command', models.JSONField(default=list)),
                        ('served_at', models.CharField(choices=[('path', 'path'), ('base_path', 'base_path'), ('host', 'host')], db_default='path', default='path', max_length=16)),
                        ('writes', models.BooleanField(db_default=False, default=False)),
                        ('cpu_milli', models.PositiveIntegerField()),
                        ('memory_mib', models.PositiveIntegerField()),
                        ('idle_s', models.PositiveIntegerField()),
                        ('time_limit_s', models.PositiveIntegerField()),
                        ('is_active', models.BooleanField(default=True)),
                        ('image', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='catalog.image')),
                    ],
                    options={
                        'abstract': False,
                    },
                ),
            ],
        ),
    ]
