"""Directories, and clients that provision people as their servers do."""

import json
from itertools import count
from typing import Any

from django.test import Client

from portal.common.actor import Actor
from portal.directory.ldap.settings import LdapSettings
from portal.directory.mapping import Rule
from portal.directory.models import Directory
from portal.directory.services import change_directory, create_directory, issue_scim_token
from tests.ldap_server import GROUPS, PEOPLE, READER, READER_PASSWORD, LdapServer

SCIM = "/scim/v2"
MEDIA_TYPE = "application/scim+json"
USER_SCHEMA = "urn:ietf:params:scim:schemas:core:2.0:User"
GROUP_SCHEMA = "urn:ietf:params:scim:schemas:core:2.0:Group"
ENTERPRISE_SCHEMA = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User"
PATCH_SCHEMA = "urn:ietf:params:scim:api:messages:2.0:PatchOp"

_numbers = count(1)
_ADMIN = Actor.system("test")


def a_directory(*rules: Rule, name: str = "", links_existing: bool = False) -> Directory:
    """Save a directory with these rules."""
    made = create_directory(
        actor=_ADMIN,
        name=name or f"directory-{next(_numbers)}",
        title="Directory",
        links_existing=links_existing,
    )
    return change_directory(actor=_ADMIN, directory_id=made.pk, changes={"rules": list(rules)})


class ScimServer:
    """A directory's server that provisions people here."""

    def __init__(self, directory: Directory) -> None:
        """Take a new token of the directory."""
        self.directory = directory
        self.token = issue_scim_token(actor=_ADMIN, directory_id=directory.pk).secret
        self.client = Client(headers={"Authorization": f"Bearer {self.token}"})

    def send(self, method: str, path: str, body: Any = None, status: int = 200) -> Any:
        """Return the body of an answer that has the expected status."""
        response = self.client.generic(
            method, f"{SCIM}/{path}", _written(body), content_type=MEDIA_TYPE
        )
        assert response.status_code == status, (response.status_code, response.content)
        return response.json() if response.content else None

    def patch(self, path: str, *operations: dict[str, Any], status: int = 200) -> Any:
        """Send operations."""
        body = {"schemas": [PATCH_SCHEMA], "Operations": list(operations)}
        return self.send("PATCH", path, body, status)

    def add_person(self, user_name: str = "", **values: Any) -> Any:
        """Provision a person as Entra does; return the resource."""
        name = user_name or f"person-{next(_numbers)}@example.org"
        body = {"schemas": [USER_SCHEMA], "userName": name, "active": True, **values}
        return self.send("POST", "Users", body, 201)

    def add_group(self, display_name: str, *members: Any, **values: Any) -> Any:
        """Provision a group with these people; return the resource."""
        body = {
            "schemas": [GROUP_SCHEMA],
            "displayName": display_name,
            "members": [{"value": member["id"]} for member in members],
            **values,
        }
        return self.send("POST", "Groups", body, 201)


def _written(body: Any) -> bytes:
    return b"" if body is None else json.dumps(body).encode()


def an_ldap_directory(server: LdapServer, *rules: Rule, **settings: Any) -> Directory:
    """Save a directory that is read from this server by LDAPS."""
    given = {
        "url": server.tls_url,
        "ca_certificate": server.certificate,
        "bind_dn": READER,
        "people_base": PEOPLE,
        "people_filter": "(objectClass=inetOrgPerson)",
        "groups_base": GROUPS,
        **settings,
    }
    return change_directory(
        actor=_ADMIN,
        directory_id=a_directory(*rules).pk,
        changes={"ldap": LdapSettings(**given), "bind_password": READER_PASSWORD},
    )
