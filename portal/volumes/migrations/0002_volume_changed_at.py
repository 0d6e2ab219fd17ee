from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("volumes", "0001_initial")]

    operations = [
        migrations.AddField(
            model_name="volume",
            name="changed_at",
            field=models.DateTimeField(null=True),
        ),
    ]
