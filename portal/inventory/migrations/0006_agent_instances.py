# Which agent of a boot holds the lease, where a copied folder has started a second one.

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('inventory', '0005_node_checks'),
    ]

    operations = [
        migrations.AddField(
            model_name='node',
            name='agent_since_seq',
            field=models.BigIntegerField(db_default=-1, default=-1),
        ),
        migrations.AddField(
            model_name='node',
            name='challenge_seq',
            field=models.BigIntegerField(db_default=-1, default=-1),
        ),
        migrations.AddField(
            model_name='node',
            name='has_applied',
            field=models.BooleanField(db_default=False, default=False),
        ),
        migrations.AddField(
            model_name='node',
            name='instance',
            field=models.CharField(blank=True, db_default='', default='', max_length=200),
        ),
        migrations.AddField(
            model_name='node',
            name='rival_instance',
            field=models.CharField(blank=True, db_default='', default='', max_length=200),
        ),
    ]
