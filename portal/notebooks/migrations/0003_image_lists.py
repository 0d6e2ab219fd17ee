# What images nodes have moves to the inventory; its table stays as it is.

from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [
        ('environments', '0002_images_on_nodes'),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[migrations.DeleteModel('NodeImageList')],
        ),
    ]
