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
        ("alarms", "Alarms"),
        ("images", "Images"),
    ],
    max_length=9,
)


class Migration(migrations.Migration):
    dependencies = [("saved_views", "0003_nodes")]

    operations = [
        migrations.AlterField(model_name="openingview", name="list_name", field=_LISTS),
        migrations.AlterField(model_name="savedview", name="list_name", field=_LISTS),
    ]
