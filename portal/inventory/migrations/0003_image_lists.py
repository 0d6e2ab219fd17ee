# The images that nodes have are facts of nodes, which the scheduler reads; the table stays as it is.

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('environments', '0003_image_lists'),
        ('inventory', '0002_dataset_caches'),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.CreateModel(
                    name='NodeImageList',
                    fields=[
                        ('node', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='+', serialize=False, to='inventory.node')),
                        ('images', models.JSONField(default=list)),
                        ('reported_at', models.DateTimeField()),
                    ],
                    options={'db_table': 'environments_nodeimagelist'},
                ),
            ],
        ),
    ]
