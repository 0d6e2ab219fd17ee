from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("directory", "0002_openid_connect"),
    ]

    operations = [
        migrations.AddField(
            model_name="directory",
            name="signed_in_at",
            field=models.DateTimeField(null=True),
        ),
    ]
