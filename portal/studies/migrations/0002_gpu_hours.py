"""Stored changes and findings count in GPUs: `keep_gpus`, `gpu_hours`."""

from django.db import migrations


def _rename(*pairs: tuple[str, str]) -> str:
    change, findings = "change::text", "findings::text"
    for old, new in pairs:
        change = f"""replace({change}, '"{old}":', '"{new}":')"""
        findings = f"""replace({findings}, '"{old}":', '"{new}":')"""
    return f"""
        UPDATE studies_study SET change = ({change})::jsonb, findings = ({findings})::jsonb
    """


KEYS = (
    ("keep_cards", "keep_gpus"),
    ("card_hours", "gpu_hours"),
    ("card_hours_changed", "gpu_hours_changed"),
)


class Migration(migrations.Migration):
    dependencies = [("studies", "0001_questions")]
    operations = [migrations.RunSQL(_rename(*KEYS), _rename(*((new, old) for old, new in KEYS)))]
