"""`manage.py create_admin NAME`: the first platform administrator of an installation."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from typing_extensions import override

from portal.common.actor import Actor
from portal.common.errors import ConflictError
from portal.identity.models import User
from portal.tenancy import people


class Command(BaseCommand):
    """Create a platform administrator and print the password once."""

    help = "Add a platform administrator; the password is printed once"

    @override
    def add_arguments(self, parser: CommandParser) -> None:
        """Add the names."""
        parser.add_argument("username", help="at most 32 lower-case letters, digits, . _ -")
        parser.add_argument(
            "--display-name", default="", help="name shown on pages; default: the user name"
        )

    @override
    def handle(self, *args: Any, **options: Any) -> None:
        """Add the person."""
        username: str = options["username"]
        try:
            made = people.create_person(
                actor=Actor.system("create_admin"),
                username=username,
                display_name=options["display_name"] or username,
                platform_role=User.PlatformRole.ADMIN.value,
            )
        except ConflictError as error:
            raise CommandError(
                f"{username} cannot be added: the name is taken or not allowed, see --help"
            ) from error
        self.stdout.write(made.password)
