"""Every door that a person has open, walked to before and after somebody is to be out."""

from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs, urlsplit
from uuid import UUID

from portal.endpoints import services as endpoints
from portal.identity import ssh_keys
from portal.identity.models import User
from portal.live.authentication import RequestCredentials, authenticate
from portal.tenancy.actors import load_actor
from portal.tenancy.submitters import find_without_right
from tests.builders.people import a_token
from tests.builders.scenes import Scene, a_scene
from tests.builders.scripted_node import running
from tests.rest import API, browser, json_of, pipeline, problem_of
from tests.ssh_keys import a_key


@dataclass(frozen=True, slots=True)
class Doors:
    """A session, a token, an SSH key, and a notebook that is open: all of one person."""

    owner: User
    group_id: UUID
    notebook_id: UUID
    page: Any
    program: Any
    session: RequestCredentials
    bearer: RequestCredentials
    fingerprint: str
    cookie: str

    def are_open(self) -> None:
        """Walk through each."""
        assert json_of(self.page.get(f"{API}/me"))["username"] == self.owner.username
        assert json_of(self.program.get(f"{API}/me"))["username"] == self.owner.username
        assert authenticate(self.session) is not None
        assert authenticate(self.bearer) is not None
        assert ssh_keys.authenticate_key(self.fingerprint) is not None
        assert endpoints.authorise_grant(self.cookie, self.notebook_id) is not None
        assert find_without_right([self._submitter()]) == frozenset()

    def are_shut(self) -> None:
        """Find each shut, and the right to submit gone."""
        self.are_ended()
        assert find_without_right([self._submitter()]) == {self._submitter()}

    def are_ended(self) -> None:
        """Find each shut, whether or not the person may open others."""
        problem_of(self.page.get(f"{API}/me"), 401, "not_authenticated")
        problem_of(self.program.get(f"{API}/me"), 401, "credentials_refused")
        assert authenticate(self.session) is None
        assert authenticate(self.bearer) is None
        assert ssh_keys.authenticate_key(self.fingerprint) is None
        assert endpoints.authorise_grant(self.cookie, self.notebook_id) is None

    def _submitter(self) -> tuple[str, str]:
        return str(self.owner.pk), str(self.group_id)


def open_doors(scene: Scene | None = None) -> Doors:
    """Open every door of the owner of a running notebook."""
    scene = scene or a_scene(slices=8)
    owner = scene.owner
    notebook = scene.work(kind="environment", slices=1)
    (held,) = scene.place(notebook, scene.placement(cards=(0,), slots=(0,)))
    scene.links[0].beat()
    scene.links[0].beat(containers=[running(held, port=8899)])
    page = browser(owner)
    session = RequestCredentials(session_key=page.cookies["berth-session"].value)
    line, fingerprint = a_key()
    json_of(
        page.post(f"{API}/ssh-keys", {"name": "laptop", "public_key": line}, format="json"), 201
    )
    actor = load_actor(owner, session_key=session.session_key)
    issued = endpoints.issue_ticket(actor=actor, workload_id=notebook.pk, kind="environment")
    code = parse_qs(urlsplit(issued.url).query)["ticket"][0]
    cookie, _ = endpoints.redeem_ticket(code)
    return Doors(
        owner=owner,
        group_id=notebook.group_id,
        notebook_id=notebook.pk,
        page=page,
        program=pipeline(owner, "me.view"),
        session=session,
        bearer=RequestCredentials(bearer=a_token(owner)),
        fingerprint=fingerprint,
        cookie=cookie,
    )
