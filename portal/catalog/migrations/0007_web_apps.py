# Web apps go to `apps` with their table.

from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [
        ('catalog', '0006_saved_images'),
    ]

    operations = [
        migrations.AlterModelTable('WebApp', 'apps_webapp'),
    ]
