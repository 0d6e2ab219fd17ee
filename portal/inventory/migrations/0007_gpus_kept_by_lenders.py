"""`lending.keep_cards` of a pool's policy is `lending.keep_gpus`."""

from django.db import migrations


def _rename(old: str, new: str) -> str:
    return f"""
        UPDATE inventory_pool SET policy = jsonb_set(policy, '{{lending}}',
            (policy -> 'lending') - '{old}'
                || jsonb_build_object('{new}', policy -> 'lending' -> '{old}'))
        WHERE policy -> 'lending' ? '{old}'
    """


class Migration(migrations.Migration):
    dependencies = [("inventory", "0006_retests_of_cards")]
    operations = [
        migrations.RunSQL(_rename("keep_cards", "keep_gpus"), _rename("keep_gpus", "keep_cards"))
    ]
