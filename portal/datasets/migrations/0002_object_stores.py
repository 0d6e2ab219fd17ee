"""Objects of a store are published, too."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('datasets', '0001_tables'),
    ]

    operations = [
        migrations.AddField(
            model_name='datasetpublication',
            name='store',
            field=models.CharField(blank=True, db_default='', default='', max_length=32),
        ),
        migrations.AlterField(
            model_name='datasetpublication',
            name='source',
            field=models.CharField(choices=[('volume', 'Volume'), ('job', 'Job'), ('store', 'Store')], max_length=6),
        ),
        migrations.AlterField(
            model_name='datasetpublication',
            name='source_id',
            field=models.UUIDField(null=True),
        ),
        migrations.AddConstraint(
            model_name='datasetpublication',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('source', 'store'), ('source_id', None), models.Q(('store', ''), _negated=True)), models.Q(models.Q(('source', 'store'), _negated=True), ('source_id__isnull', False), ('store', '')), _connector='OR'), name='publication_has_one_source'),
        ),
    ]
