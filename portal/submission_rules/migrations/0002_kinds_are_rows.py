"""The kinds of work are rows of a table in code; no choices of the column."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("submission_rules", "0001_initial")]

    operations = [
        migrations.AlterField(
            model_name="submissionrules", name="kind", field=models.CharField(max_length=11)
        ),
    ]
