"""The rules that come with the platform: one of each kind, made where it is missing."""

from portal.alarms.kinds import KINDS
from portal.alarms.models import AlarmRule


def ensure_shipped_rules() -> None:
    """Create the shipped rules that do not exist yet; those that do stay as they were changed."""
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
            for kind, terms in KINDS.items()
        ),
        ignore_conflicts=True,
    )
