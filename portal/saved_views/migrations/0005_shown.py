from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("saved_views", "0004_alarms_and_images"),
    ]

    operations = [
        migrations.AddField(
            model_name="savedview",
            name="shown",
            field=models.JSONField(db_default=[], default=list),
        ),
    ]
