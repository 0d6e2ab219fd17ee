from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("serving", "0001_tables")]

    operations = [
        migrations.AddField(
            model_name="service",
            name="share_state",
            field=models.JSONField(default=dict, db_default={}),
        )
    ]
