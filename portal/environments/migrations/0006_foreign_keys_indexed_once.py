"""A foreign key that another index begins with has no index of its own."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("environments", "0005_access_shares"),
        ("workloads", "0022_sorted_lists"),
    ]

    operations = [
        migrations.AlterField(
            model_name="accessshare",
            name="workload",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to="workloads.workload",
            ),
        ),
        # Django takes every index of just that column away, this one too.
        migrations.RemoveConstraint(model_name="imagesave", name="image_save_one_at_a_time"),
        migrations.AlterField(
            model_name="imagesave",
            name="workload",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to="workloads.workload",
            ),
        ),
        migrations.AddConstraint(
            model_name="imagesave",
            constraint=models.UniqueConstraint(
                condition=models.Q(("state__in", ["ordered", "committing", "pushing"])),
                fields=("workload",),
                name="image_save_one_at_a_time",
            ),
        ),
    ]
