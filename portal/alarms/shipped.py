"""The rules that come with the platform: one of each kind, made where it is missing."""

from portal.alarms.kinds import KINDS
from portal.alarms.models import AlarmRule


def ensure_shipped_rules() -> bool:
    """Create the shipped rules that do not exist yet, and return whether there were any.

    Those that exist stay as they were changed.
    """
    present = set(AlarmRule.objects.filter(is_shipped=True).values_list("kind", flat=True))
    missing = [kind for kind in KINDS if kind.value not in present]
    AlarmRule.objects.bulk_create(
        (
            AlarmRule(
                kind=kind.value,
                is_shipped=True,
                severity=terms.severity.value,
                threshold=terms.threshold,
                duration_s=terms.duration_s,
                audience=[each.value for each in terms.audience],
            )
            for kind, terms in ((kind, KINDS[kind]) for kind in missing)
        ),
        ignore_conflicts=True,
    )
    return bool(missing)
