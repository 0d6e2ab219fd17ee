"""People choose which kinds of notices come by mail."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("identity", "0005_foreign_keys_indexed_once"),
    ]

    operations = [
        migrations.AddField(
            model_name="user",
            name="mails_off",
            field=models.JSONField(db_default=[], default=list),
        ),
    ]
