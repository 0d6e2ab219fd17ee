"""A foreign key that another index begins with has no index of its own."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("catalog", "0003_web_apps"),
        ("inventory", "0016_foreign_keys_indexed_once"),
        ("tenancy", "0003_foreign_keys_indexed_once"),
        ("workloads", "0022_sorted_lists"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name="workload",
            name="workload_one_per_index",
        ),
        migrations.AlterField(
            model_name="allocation",
            name="workload",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="allocations",
                to="workloads.workload",
            ),
        ),
        migrations.AlterField(
            model_name="dailygpuuse",
            name="group",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="tenancy.group",
            ),
        ),
        migrations.AlterField(
            model_name="decayedgpuuse",
            name="group",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to="tenancy.group",
            ),
        ),
        migrations.AlterField(
            model_name="forgottencontainer",
            name="node",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="forgotten_containers",
                to="inventory.node",
            ),
        ),
        migrations.AlterField(
            model_name="workload",
            name="app",
            field=models.ForeignKey(
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="catalog.webapp",
            ),
        ),
        migrations.AlterField(
            model_name="workload",
            name="array",
            field=models.ForeignKey(
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="tasks",
                to="workloads.jobarray",
            ),
        ),
        migrations.AlterField(
            model_name="workload",
            name="group",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="tenancy.group",
            ),
        ),
        migrations.AlterField(
            model_name="workload",
            name="owner",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AlterField(
            model_name="workloadevent",
            name="workload",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="events",
                to="workloads.workload",
            ),
        ),
        migrations.AddIndex(
            model_name="workload",
            index=models.Index(
                condition=models.Q(("app__isnull", False)), fields=["app"], name="workload_by_app"
            ),
        ),
        migrations.AddConstraint(
            model_name="workload",
            constraint=models.UniqueConstraint(
                condition=models.Q(("array__isnull", False)),
                fields=("array", "array_index"),
                name="workload_one_per_index",
            ),
        ),
    ]
