"""Every stored secret of the platform, whichever app keeps it."""

from django.db import transaction

from portal.alarms import channels
from portal.common.encryption import UndecryptableError
from portal.directory import services as directories
from portal.identity import second_factors
from portal.images import registries
from portal.kubernetes import records as clusters
from portal.notices import channels as notice_channels
from portal.secrets import services as secrets


def encrypt_again() -> int:
    """Encrypt all with the present key, and return how many; raises `UndecryptableError`, and changes none."""
    with transaction.atomic():
        changed = channels.encrypt_again() + directories.encrypt_again()
        changed += registries.encrypt_again() + clusters.encrypt_again()
        changed += second_factors.encrypt_again() + secrets.encrypt_again()
        return changed + notice_channels.encrypt_again()


def are_readable() -> bool:
    """Return whether the configured keys decrypt every one of them; nothing is changed."""
    with transaction.atomic():
        try:
            encrypt_again()
        except UndecryptableError:
            return False
        finally:
            transaction.set_rollback(True)
    return True
