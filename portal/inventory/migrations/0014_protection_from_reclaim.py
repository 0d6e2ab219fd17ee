"""Sites that chose how long work is protected keep that for reclaim, which now has its own rule."""

from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor


def keep_protection(apps: Apps, _: BaseDatabaseSchemaEditor) -> None:
    """Copy `min_runtime_s` of policies that name it."""
    pools = apps.get_model("inventory", "Pool").objects
    for pool in pools.filter(policy__has_key="min_runtime_s"):
        pool.policy["reclaim_min_runtime_s"] = pool.policy["min_runtime_s"]
        pool.save(update_fields=["policy"])


class Migration(migrations.Migration):
    """Writes a default that was implied so far."""

    dependencies = [("inventory", "0013_node_saves_images")]

    operations = [migrations.RunPython(keep_protection, migrations.RunPython.noop)]
