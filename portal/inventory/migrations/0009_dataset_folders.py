"""Nodes report which folders of data sets they have."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("inventory", "0008_card_transitions")]
    operations = [
        migrations.AddField("node", "dataset_folders", models.JSONField(null=True)),
    ]
