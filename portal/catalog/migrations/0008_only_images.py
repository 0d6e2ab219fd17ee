# What is left of web apps here goes once no work refers to it.

from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [
        ('catalog', '0007_web_apps'),
        ('workloads', '0013_web_apps'),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.DeleteModel('WebApp'),
            ],
        ),
    ]
