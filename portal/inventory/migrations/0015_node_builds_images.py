"""Which nodes can build images."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("inventory", "0014_protection_from_reclaim")]

    operations = [
        migrations.AddField(
            model_name="node",
            name="builds_images",
            field=models.BooleanField(db_default=False, default=False),
        ),
    ]
