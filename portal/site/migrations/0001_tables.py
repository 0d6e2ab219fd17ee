import django.contrib.postgres.fields
from django.db import migrations, models

from portal.common.site_config import get_site_config

def fix_time_zone(apps, _editor):
    """Write the zone down: budget periods depend on it, so the environment sets it only once."""
    settings = apps.get_model("site", "SiteSettings").objects
    settings.create(id=1, time_zone=get_site_config().time_zone)


class Migration(migrations.Migration):

    replaces = [('site', '0001_initial'), ('site', '0002_samples_kept'), ('site', '0003_zone_changes_and_currency'), ('site', '0004_carbon_factors')]

    initial = True

    dependencies = [
    ]

    operations = [
        migrations.CreateModel(
            name='CarbonChange',
            fields=[
                ('id', models.BigAutoField(primary_key=True, serialize=False)),
                ('at', models.DateTimeField(unique=True)),
                ('g_per_kwh_before', django.contrib.postgres.fields.ArrayField(base_field=models.PositiveSmallIntegerField(), size=None)),
            ],
        ),
        migrations.CreateModel(
            name='ZoneChange',
            fields=[
                ('id', models.BigAutoField(primary_key=True, serialize=False)),
                ('at', models.DateTimeField(unique=True)),
                ('zone_before', models.CharField(max_length=64)),
                ('days_from_before', models.DateField(null=True)),
            ],
        ),
        migrations.CreateModel(
            name='SiteSettings',
            fields=[
                ('id', models.PositiveSmallIntegerField(default=1, primary_key=True, serialize=False)),
                ('time_zone', models.CharField(max_length=64)),
                ('days_from', models.DateField(null=True)),
                ('half_life_s', models.PositiveIntegerField(null=True)),
                ('entry_penalty_s', models.PositiveIntegerField(null=True)),
                ('workspaces_kept_days', models.PositiveIntegerField(null=True)),
                ('outputs_kept_days', models.PositiveIntegerField(null=True)),
                ('lease_ttl_s', models.PositiveIntegerField(null=True)),
                ('raw_samples_kept_days', models.PositiveIntegerField(null=True)),
                ('minute_samples_kept_days', models.PositiveIntegerField(null=True)),
                ('hour_samples_kept_days', models.PositiveIntegerField(null=True)),
                ('currency', models.CharField(blank=True, db_default='', default='', max_length=3)),
                ('carbon_g_per_kwh', django.contrib.postgres.fields.ArrayField(base_field=models.PositiveSmallIntegerField(), db_default=[], default=list, size=None)),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(('id', 1)), name='site_settings_one_row'), models.CheckConstraint(condition=models.Q(('half_life_s', 0), _negated=True), name='site_settings_half_life_positive')],
            },
        ),
        migrations.RunPython(fix_time_zone),
    ]
