# When the owner of a saved image was told that it is about to go.

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('catalog', '0002_image_upkeep'),
    ]

    operations = [
        migrations.AddField(
            model_name='savedimage',
            name='expiry_noticed_at',
            field=models.DateTimeField(null=True),
        ),
    ]
