"""A foreign key that another index begins with has no index of its own."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("quotas", "0010_budgets_of_money"),
        ("tenancy", "0003_foreign_keys_indexed_once"),
    ]

    operations = [
        migrations.AlterField(
            model_name="budget",
            name="group",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="budgets",
                to="tenancy.group",
            ),
        ),
        migrations.AlterField(
            model_name="memberceiling",
            name="quota",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="member_ceilings",
                to="quotas.quota",
            ),
        ),
        migrations.AlterField(
            model_name="memberlimit",
            name="group",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to="tenancy.group",
            ),
        ),
        migrations.AlterField(
            model_name="quota",
            name="group",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="quotas",
                to="tenancy.group",
            ),
        ),
        migrations.AlterField(
            model_name="quotachangeitem",
            name="group",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to="tenancy.group",
            ),
        ),
        migrations.AlterField(
            model_name="useruse",
            name="quota",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="user_uses",
                to="quotas.quota",
            ),
        ),
    ]
