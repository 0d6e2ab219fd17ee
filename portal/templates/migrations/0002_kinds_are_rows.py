"""The kinds of work are rows of a table in code; no choices of the column."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("templates", "0001_tables")]

    operations = [
        migrations.AlterField(
            model_name="submissiontemplate", name="kind", field=models.CharField(max_length=11)
        ),
    ]
