import django.db.models.deletion
import portal.common.clock
from django.conf import settings
from django.db import migrations, models

# The table of Django's database cache, which holds the sign-in limits.
CACHE = """
CREATE TABLE common_cache (
    cache_key varchar(255) PRIMARY KEY,
    value text NOT NULL,
    expires timestamptz NOT NULL
);
CREATE INDEX common_cache_expires ON common_cache (expires);
"""


class Migration(migrations.Migration):

    replaces = [('common', '0001_initial'), ('common', '0002_cache_table'), ('common', '0003_foreign_keys_indexed_once')]

    initial = True

    dependencies = [
        ('identity', '__first__'),
    ]

    operations = [
        migrations.CreateModel(
            name='RateCount',
            fields=[
                ('key', models.CharField(max_length=200, primary_key=True, serialize=False)),
                ('count', models.PositiveIntegerField()),
                ('expires_at', models.DateTimeField(db_index=True)),
            ],
        ),
        migrations.CreateModel(
            name='IdempotencyRecord',
            fields=[
                ('id', models.BigAutoField(primary_key=True, serialize=False)),
                ('key', models.CharField(max_length=200)),
                ('request_hash', models.CharField(max_length=64)),
                ('status', models.PositiveSmallIntegerField()),
                ('body', models.JSONField()),
                ('created_at', models.DateTimeField(default=portal.common.clock.now)),
                ('user', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'indexes': [models.Index(fields=['created_at'], name='idempotency_age')],
                'constraints': [models.UniqueConstraint(fields=('user', 'key'), name='idempotency_one_answer')],
            },
        ),
        migrations.RunSQL(CACHE),
    ]
