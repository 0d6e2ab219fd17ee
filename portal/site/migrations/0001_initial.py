from django.db import migrations, models

from portal.common.site_config import get_site_config

ZONE_SO_FAR = "Asia/Shanghai"
"""Until now the clock of every site was eight hours ahead of UTC."""


def fix_time_zone(apps, _editor):
    """Write the zone down: budget periods depend on it, so the environment sets it only once."""
    is_upgrade = apps.get_model("tenancy", "Group").objects.exists()
    apps.get_model("site", "SiteSettings").objects.create(
        id=1, time_zone=ZONE_SO_FAR if is_upgrade else get_site_config().time_zone
    )


class Migration(migrations.Migration):
    initial = True
    dependencies = [("tenancy", "0001_initial")]
    operations = [
        migrations.CreateModel(
            name="SiteSettings",
            fields=[
                (
                    "id",
                    models.PositiveSmallIntegerField(default=1, primary_key=True, serialize=False),
                ),
                ("time_zone", models.CharField(max_length=64)),
                ("days_from", models.DateField(null=True)),
                ("half_life_s", models.PositiveIntegerField(null=True)),
                ("entry_penalty_s", models.PositiveIntegerField(null=True)),
                ("workspaces_kept_days", models.PositiveIntegerField(null=True)),
                ("outputs_kept_days", models.PositiveIntegerField(null=True)),
                ("lease_ttl_s", models.PositiveIntegerField(null=True)),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(id=1), name="site_settings_one_row"
                    ),
                    models.CheckConstraint(
                        condition=~models.Q(half_life_s=0),
                        name="site_settings_half_life_positive",
                    ),
                ],
            },
        ),
        migrations.RunPython(fix_time_zone, migrations.RunPython.noop),
    ]
