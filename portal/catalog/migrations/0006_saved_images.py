# Saved images, their retention and logins of registries go to `images` with their tables.

from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [
        ('catalog', '0005_apps_with_hosts'),
    ]

    operations = [
        migrations.AlterModelTable('SavedImage', 'images_savedimage'),
        migrations.AlterModelTable('ImageRetention', 'images_imageretention'),
        migrations.AlterModelTable('RegistryCredential', 'images_registrycredential'),
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.DeleteModel('SavedImage'),
                migrations.DeleteModel('ImageRetention'),
                migrations.DeleteModel('RegistryCredential'),
            ],
        ),
    ]
