# Whether a web app may write to the folder that it shows.

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('catalog', '0003_expiry_notices'),
    ]

    operations = [
        migrations.AddField(
            model_name='webapp',
            name='writes',
            field=models.BooleanField(db_default=False, default=False),
        ),
    ]
