from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("serving", "0003_forecast")]

    operations = [
        migrations.AddField(
            model_name="service",
            name="capacity_state",
            field=models.JSONField(default=dict, db_default={}),
        )
    ]
