"""The clock by which a person reads times follows the account."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("identity", "0001_tables"),
    ]

    operations = [
        migrations.AddField(
            model_name="user",
            name="time_zone",
            field=models.CharField(blank=True, db_default="", default="", max_length=64),
        ),
        migrations.AddField(
            model_name="user",
            name="hours",
            field=models.CharField(
                blank=True,
                choices=[("", "None"), ("h23", "H23"), ("h12", "H12")],
                db_default="",
                default="",
                max_length=3,
            ),
        ),
    ]
