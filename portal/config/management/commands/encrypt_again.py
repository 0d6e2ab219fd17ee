"""`manage.py encrypt_again`: the second half of a change of the encryption key."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError
from typing_extensions import override

from portal.common.encryption import UndecryptableError
from portal.config import stored_secrets


class Command(BaseCommand):
    """Encrypt every stored secret with the first of the configured keys."""

    help = "Encrypt stored secrets with the present key, so that older keys can be removed"

    @override
    def handle(self, *args: Any, **options: Any) -> None:
        """Write all of them again, or none when one cannot be read."""
        try:
            changed = stored_secrets.encrypt_again()
        except UndecryptableError as error:
            raise CommandError(
                "A stored secret was encrypted with a key that is not configured; nothing is changed."
            ) from error
        self.stdout.write(f"{changed} encrypted again")
