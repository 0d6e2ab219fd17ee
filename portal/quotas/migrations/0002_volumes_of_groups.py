# What the volumes of a group may have together.

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('quotas', '0001_tables'),
    ]

    operations = [
        migrations.AddField(
            model_name='grouplimit',
            name='volumes_mib_max',
            field=models.PositiveBigIntegerField(null=True),
        ),
    ]
