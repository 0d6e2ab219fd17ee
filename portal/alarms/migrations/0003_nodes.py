from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("alarms", "0002_tags")]

    operations = [
        migrations.AddIndex(
            model_name="alarm",
            index=models.Index(fields=["node_id", "-id"], name="alarm_by_node"),
        ),
    ]
