"""A foreign key that another index begins with has no index of its own."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("inventory", "0015_node_builds_images"),
    ]

    operations = [
        migrations.AlterField(
            model_name="fenceattempt",
            name="node",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="fence_attempts",
                to="inventory.node",
            ),
        ),
    ]
