from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("serving_usage", "0002_hours")]

    operations = [
        migrations.AddField(
            model_name="serviceload",
            name="waiting",
            field=models.PositiveIntegerField(db_default=0, default=0),
        ),
        migrations.AddField(
            model_name="serviceload",
            name="waiting_age_ms",
            field=models.PositiveIntegerField(db_default=0, default=0),
        ),
    ]
