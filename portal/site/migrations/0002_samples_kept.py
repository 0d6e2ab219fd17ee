"""How long samples are kept is a site setting."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("site", "0001_initial")]

    operations = [
        migrations.AddField(
            "sitesettings", f"{name}_samples_kept_days", models.PositiveIntegerField(null=True)
        )
        for name in ("raw", "minute", "hour")
    ]
