"""Energy and carbon by day; those of days before come with `manage.py rebuild_usage`."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("metering", "0001_initial")]
    operations = [
        migrations.AddField("usageday", "measured_milli_ms", models.BigIntegerField(db_default=0, default=0)),
        migrations.AddField("usageday", "energy_mj", models.BigIntegerField(db_default=0, default=0)),
        migrations.AddField("usageday", "carbon_mg", models.BigIntegerField(null=True)),
    ]
