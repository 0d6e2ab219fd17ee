"""The time zones of the past, so that past days keep their bounds; the currency of prices."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("site", "0002_samples_kept")]
    operations = [
        migrations.CreateModel(
            name="ZoneChange",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("at", models.DateTimeField(unique=True)),
                ("zone_before", models.CharField(max_length=64)),
                ("days_from_before", models.DateField(null=True)),
            ],
        ),
        migrations.AddField(
            "sitesettings",
            "currency",
            models.CharField(blank=True, db_default="", default="", max_length=3),
        ),
    ]
