# Where a web app is served: a third way beside the two that were a boolean.

from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor


def name_the_place(apps: Apps, _editor: BaseDatabaseSchemaEditor) -> None:
    """Apps that kept the prefix of their address are served at `{base_path}`."""
    apps.get_model("catalog", "WebApp").objects.filter(keeps_prefix=True).update(
        served_at="base_path"
    )


class Migration(migrations.Migration):
    dependencies = [
        ("catalog", "0004_apps_that_write"),
    ]

    operations = [
        migrations.AddField(
            model_name="webapp",
            name="served_at",
            field=models.CharField(
                choices=[("path", "path"), ("base_path", "base_path"), ("host", "host")],
                db_default="path",
                default="path",
                max_length=16,
            ),
        ),
        migrations.RunPython(name_the_place),
        migrations.RemoveField(model_name="webapp", name="keeps_prefix"),
    ]
