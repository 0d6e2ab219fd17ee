# Saves, pulls and scans of images go to `images` with their tables.

from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [
        ('environments', '0004_tokens_of_grants'),
    ]

    operations = [
        migrations.AlterModelTable('ImageSave', 'images_imagesave'),
        migrations.AlterModelTable('ImagePullOrder', 'images_imagepullorder'),
        migrations.AlterModelTable('ImageScan', 'images_imagescan'),
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.DeleteModel('ImageSave'),
                migrations.DeleteModel('ImagePullOrder'),
                migrations.DeleteModel('ImageScan'),
            ],
        ),
    ]
