from django.db import migrations, models

_LISTS = models.CharField(
    choices=[
        ("jobs", "Jobs"),
        ("notebooks", "Notebooks"),
        ("apps", "Apps"),
        ("audit", "Audit"),
        ("people", "People"),
        ("queue", "Queue"),
        ("nodes", "Nodes"),
    ],
    max_length=9,
)


class Migration(migrations.Migration):
    dependencies = [("saved_views", "0002_people_and_queues")]

    operations = [
        migrations.AlterField(model_name="openingview", name="list_name", field=_LISTS),
        migrations.AlterField(model_name="savedview", name="list_name", field=_LISTS),
    ]
