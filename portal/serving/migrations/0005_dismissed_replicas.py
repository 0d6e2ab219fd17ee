from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("serving", "0004_capacity")]

    operations = [
        migrations.AddField(
            model_name="replica",
            name="is_dismissed",
            field=models.BooleanField(db_default=False, default=False),
        ),
    ]
