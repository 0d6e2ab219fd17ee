"""Groups have a title in each language, as pools and images have."""

from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor


def copy_titles(apps: Apps, _: BaseDatabaseSchemaEditor) -> None:
    """Show the title that a group has in both languages."""
    apps.get_model("tenancy", "Group").objects.update(title_zh=models.F("title_en"))


class Migration(migrations.Migration):
    """The only title becomes the English one."""

    dependencies = [("tenancy", "0001_initial")]

    operations = [
        migrations.RenameField("group", "title", "title_en"),
        migrations.AddField(
            "group", "title_zh", models.CharField(default="", max_length=100), preserve_default=False
        ),
        migrations.RunPython(copy_titles, migrations.RunPython.noop),
    ]
