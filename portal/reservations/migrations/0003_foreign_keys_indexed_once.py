"""A foreign key that another index begins with has no index of its own."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("inventory", "0016_foreign_keys_indexed_once"),
        ("reservations", "0002_missing_devices"),
    ]

    operations = [
        migrations.AlterField(
            model_name="reservationwindow",
            name="reservation",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="windows",
                to="reservations.advancereservation",
            ),
        ),
        migrations.AlterField(
            model_name="reserveddevice",
            name="accelerator",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to="inventory.accelerator",
            ),
        ),
    ]
