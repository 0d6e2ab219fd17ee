"""Carbon factors by the hour of the day, and those of the past."""

import django.contrib.postgres.fields
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("site", "0003_zone_changes_and_currency")]
    operations = [
        migrations.CreateModel(
            name="CarbonChange",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("at", models.DateTimeField(unique=True)),
                (
                    "g_per_kwh_before",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.PositiveSmallIntegerField(), size=None
                    ),
                ),
            ],
        ),
        migrations.AddField(
            "sitesettings",
            "carbon_g_per_kwh",
            django.contrib.postgres.fields.ArrayField(
                base_field=models.PositiveSmallIntegerField(),
                db_default=[],
                default=list,
                size=None,
            ),
        ),
    ]
