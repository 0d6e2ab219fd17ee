"""Sign-in with the password that somebody has in a directory, which is kept nowhere here."""

from typing import Any, Final

import structlog
from django.contrib.auth.backends import ModelBackend
from django.forms import ValidationError
from django.http import HttpRequest
from typing_extensions import override

from portal.audit import services as audit
from portal.common.errors import DomainError
from portal.directory.accounts import person_who_signs_in
from portal.directory.application import actor_of
from portal.directory.ldap.client import LdapError, open_client
from portal.directory.ldap.settings import LdapSettings
from portal.directory.ldap.sync import bind_password
from portal.directory.models import Directory
from portal.directory.selectors import ldap_directories_for_system, name_there_for_system
from portal.identity.models import User

NAME_LENGTH_MAX: Final = 255
"""Of what is asked for in a directory."""
AWAY: Final = "directory_unreachable"
logger = structlog.get_logger(__name__)


class LdapBackend(ModelBackend):
    """Asks the directories, one after the other, whose password it is; accounts of our own were asked before."""

    @override
    def authenticate(
        self,
        request: HttpRequest | None,
        username: str | None = None,
        password: str | None = None,
        **_: Any,
    ) -> User | None:
        """Return the person whose name and password a directory takes.

        Raises:
            ValidationError: none takes them, and one could not be asked.
        """
        if not (username and password) or len(username) > NAME_LENGTH_MAX:
            return None
        is_away = False
        for directory in ldap_directories_for_system():
            name = _name_there(request, directory, username)
            try:
                user = _person(request, directory, name, password)
            except LdapError as fault:
                logger.warning("directory.unasked", directory=directory.name, code=fault.code)
                is_away = True
                continue
            if user is not None:
                return user
        if is_away:
            raise ValidationError("a directory cannot be asked", code=AWAY)
        return None


def _name_there(request: HttpRequest | None, directory: Directory, username: str) -> str:
    """Return how a directory calls somebody: who is signed in and confirms it has the name of the account here."""
    user = getattr(request, "user", None)
    if isinstance(user, User) and user.username == username:
        return name_there_for_system(directory, user) or username
    return username


def _person(
    request: HttpRequest | None, directory: Directory, name: str, password: str
) -> User | None:
    settings = LdapSettings.read(directory.ldap or {})
    with open_client(settings, bind_password(directory)) as client:
        person = client.find_person(name)
        if person is None or not person.reported.is_wanted:
            return None
        if not client.takes_password(person.dn, password):
            return None
        groups = {
            name for each in client.groups_of(person) for name in (each.name, each.external_id)
        }
    address = str(request.META.get("REMOTE_ADDR", "")) if request else ""
    actor = actor_of(directory, address=address)
    try:
        account = person_who_signs_in(directory.pk, person.reported, sorted(groups), actor=actor)
    except DomainError as error:
        audit.record_failure(
            actor=actor,
            action="session.open",
            object_type="user",
            params={"directory": directory.name, "username": name[:32], "code": error.code},
        )
        return None
    return account.user if account.user.is_active else None
