# Retention of saved images, and logins of registries that are not the platform's.

import django.db.models.deletion
import portal.common.clock
import portal.common.ids
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('catalog', '0001_tables'),
        ('tenancy', '0001_tables'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name='savedimage',
            name='is_pinned',
            field=models.BooleanField(db_default=False, default=False),
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
    ]
