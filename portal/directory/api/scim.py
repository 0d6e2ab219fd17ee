"""The SCIM server: a directory provisions its people and groups with the token that it was given."""

from abc import ABC, abstractmethod
from typing import Any, ClassVar, Final
from uuid import UUID

from django.core.exceptions import RequestDataTooBig
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.decorators import method_decorator
from django.views import View
from django.views.decorators.csrf import csrf_exempt
from pydantic import ValidationError
from scim2_models import (
    Context,
    ListResponse,
    PatchOp,
    ResponseParameters,
    SCIMException,
    SearchRequest,
)
from typing_extensions import override

from portal.common.errors import DomainError, NotFoundError
from portal.common.middleware import get_request_id
from portal.common.rest.parsing import TooLargeError, parse_object
from portal.directory import accounts, external_groups
from portal.directory.api.scim_answers import answer, refusal, refuse
from portal.directory.application import actor_of
from portal.directory.models import Directory, ExternalAccount, ExternalGroup
from portal.directory.scim.addresses import location_of
from portal.directory.scim.documents import (
    group_resource,
    person_resource,
    reported_group,
    reported_person,
)
from portal.directory.scim.resources import (
    PAGE_MAX,
    POLICY,
    PROVIDER,
    ScimGroup,
    ScimPerson,
    parse_patch,
)
from portal.directory.scim.searching import find_page
from portal.directory.services import find_by_token

PAGE: Final = 100
"""Resources in an answer whose client says nothing."""
_START_MOST: Final = 10_000_000


@method_decorator(csrf_exempt, name="dispatch")
class ScimView(View):
    """A view for directories: known by their token alone, answered in their own words."""

    directory: Directory

    @override
    def dispatch(self, request: HttpRequest, *args: Any, **options: Any) -> HttpResponseBase:
        """Answer a directory; 401 for everybody else."""
        scheme, _, secret = request.headers.get("Authorization", "").partition(" ")
        found = find_by_token(secret.strip()) if scheme.lower() == "bearer" else None
        if found is None:
            challenge = {"WWW-Authenticate": 'Bearer realm="berth"'}
            return refuse(401, "The token is not valid.", challenge)
        self.directory = found
        self.actor = actor_of(
            found,
            request_id=get_request_id(request),
            address=str(request.META.get("REMOTE_ADDR", "")),
        )
        try:
            with POLICY:
                return super().dispatch(request, *args, **options)
        except RequestDataTooBig:
            return refuse(413, "The body is too large.")
        except (SCIMException, ValidationError, DomainError) as error:
            return refusal(error)

    @override
    def http_method_not_allowed(
        self, request: HttpRequest, *args: Any, **options: Any
    ) -> HttpResponse:
        """Say so in SCIM."""
        return refuse(405, f"{request.method} is not supported here.")


class ScimAbsentView(ScimView):
    """Addresses of the protocol that are not served (501), and all that are none (404)."""

    status = 404

    def get(self, request: HttpRequest, **options: Any) -> HttpResponse:
        """Answer that there is nothing."""
        return refuse(self.status, "There is nothing here.")

    post = put = patch = delete = get


class ScimDescriptionView(ScimView):
    """What the server can do: its configuration, kinds of resources, or schemas."""

    kind: str = ""

    def get(self, request: HttpRequest, key: str = "") -> HttpResponse:
        """Return one description or all of a kind."""
        if request.GET.get("filter"):
            return refuse(403, "Descriptions are not filtered.")
        if self.kind == "ServiceProviderConfig":
            return answer(_described(self.kind, PROVIDER.config, ""))
        found = PROVIDER.schemas if self.kind == "Schemas" else PROVIDER.resource_types
        by_key = {str(each.id): each for each in found}
        if not key:
            rows = [_described(self.kind, each, name) for name, each in by_key.items()]
            return answer(_list_of(rows))
        if key not in by_key:
            return refuse(404, "There is nothing here.")
        return answer(_described(self.kind, by_key[key], key))


class ScimCollectionView(ScimView, ABC):
    """People or groups of the directory."""

    collection: ClassVar[str]
    model: ClassVar[Any]
    asked: ClassVar[Any]
    """How a search is asked for."""
    parameters: ClassVar[Any]
    """How attributes are chosen."""

    def get(self, request: HttpRequest) -> HttpResponse:
        """Return one page of what was asked for."""
        return self.search({name: request.GET[name] for name in _QUERY & set(request.GET)})

    def post(self, request: HttpRequest) -> HttpResponse:
        """Make a resource."""
        asked = _parameters(request, self.parameters)
        made = self.model.model_validate(_body(request), scim_ctx=Context.RESOURCE_CREATION_REQUEST)
        row = self.add(_complete(made))
        shown = self.build(row).model_dump(
            scim_ctx=Context.RESOURCE_CREATION_RESPONSE, response_parameters=asked
        )
        return answer(shown, 201, {"Location": location_of(self.collection, row.pk)})

    def search(self, given: dict[str, Any]) -> HttpResponse:
        """Return one page of what was asked for."""
        start = max(1, min(_number(given.pop("startIndex", 1)), _START_MOST))
        count = max(0, min(_number(given.pop("count", PAGE)), PAGE_MAX))
        asked = self.asked.model_validate(given)
        page = find_page(self.rows(), asked, build=self.build, count=count, start=start)
        found = [
            self.build(row).model_dump(
                scim_ctx=Context.RESOURCE_QUERY_RESPONSE, response_parameters=asked
            )
            for row in page.rows
        ]
        return answer(_list_of(found, page.total, start))

    @abstractmethod
    def rows(self) -> QuerySet[Any]:
        """Return all that there are."""

    @abstractmethod
    def build(self, row: Any) -> Any:
        """Return a row as a resource."""

    @abstractmethod
    def add(self, resource: Any) -> Any:
        """Write a new resource down; return its row."""


class ScimResourceView(ScimView, ABC):
    """One person or group of the directory."""

    model: ClassVar[Any]
    parameters: ClassVar[Any]
    """How attributes are chosen."""
    operations: ClassVar[Any]
    """How a PATCH is written."""

    def get(self, request: HttpRequest, key: str) -> HttpResponse:
        """Return it."""
        asked = _parameters(request, self.parameters)
        return self._shown(self.row(_key(key)), Context.RESOURCE_QUERY_RESPONSE, asked)

    def put(self, request: HttpRequest, key: str) -> HttpResponse:
        """Replace it."""
        asked = _parameters(request, self.parameters)
        self.row(_key(key))
        given = self.model.model_validate(
            _body(request), scim_ctx=Context.RESOURCE_REPLACEMENT_REQUEST
        )
        row = self.change(_key(key), _complete(given))
        return self._shown(row, Context.RESOURCE_REPLACEMENT_RESPONSE, asked)

    def patch(self, request: HttpRequest, key: str) -> HttpResponse:
        """Change part of it; what is as it was already is no error."""
        asked = _parameters(request, self.parameters)
        operations = parse_patch(self.operations, _body(request))
        resource = self.build(self.row(_key(key)))
        operations.patch(resource)
        row = self.change(_key(key), resource)
        return self._shown(row, Context.RESOURCE_PATCH_RESPONSE, asked)

    def delete(self, request: HttpRequest, key: str) -> HttpResponse:
        """Remove it."""
        self.remove(_key(key))
        return HttpResponse(status=204)

    def _shown(self, row: Any, context: Context, asked: ResponseParameters[Any]) -> HttpResponse:
        shown = self.build(row).model_dump(scim_ctx=context, response_parameters=asked)
        return answer(shown)

    @abstractmethod
    def row(self, key: UUID) -> Any:
        """Return the row, or raise that there is none."""

    @abstractmethod
    def build(self, row: Any) -> Any:
        """Return a row as a resource."""

    @abstractmethod
    def change(self, key: UUID, resource: Any) -> Any:
        """Write down what the resource is now; return its row."""

    @abstractmethod
    def remove(self, key: UUID) -> None:
        """Remove the row."""


class ScimPeopleView(ScimCollectionView):
    """All people of the directory."""

    collection = "Users"
    model = ScimPerson
    asked = SearchRequest[ScimPerson]
    parameters = ResponseParameters[ScimPerson]

    @override
    def rows(self) -> QuerySet[ExternalAccount]:
        people = ExternalAccount.objects.filter(directory=self.directory, removed_at=None)
        return people.select_related("user")

    @override
    def build(self, row: ExternalAccount) -> ScimPerson:
        return person_resource(row)

    @override
    def add(self, resource: ScimPerson) -> ExternalAccount:
        return accounts.add_person(self.directory.pk, reported_person(resource), actor=self.actor)


class ScimPeopleSearchView(ScimPeopleView):
    """The same, asked by a body."""

    http_method_names = ["post"]

    @override
    def post(self, request: HttpRequest) -> HttpResponse:
        """Return one page of what was asked for."""
        return self.search(_body(request))


class ScimPersonView(ScimResourceView):
    """One person of the directory."""

    model = ScimPerson
    parameters = ResponseParameters[ScimPerson]
    operations = PatchOp[ScimPerson]

    @override
    def row(self, key: UUID) -> ExternalAccount:
        return accounts.account_of(self.directory, key)

    @override
    def build(self, row: ExternalAccount) -> ScimPerson:
        return person_resource(row)

    @override
    def change(self, key: UUID, resource: ScimPerson) -> ExternalAccount:
        reported = reported_person(resource)
        return accounts.change_person(self.directory.pk, key, reported, actor=self.actor)

    @override
    def remove(self, key: UUID) -> None:
        accounts.remove_person(self.directory.pk, key, actor=self.actor)


class ScimGroupsView(ScimCollectionView):
    """All groups of the directory."""

    collection = "Groups"
    model = ScimGroup
    asked = SearchRequest[ScimGroup]
    parameters = ResponseParameters[ScimGroup]

    @override
    def rows(self) -> QuerySet[ExternalGroup]:
        return ExternalGroup.objects.filter(directory=self.directory)

    @override
    def build(self, row: ExternalGroup) -> ScimGroup:
        return group_resource(row, with_members=not _leaves_out_members(self.request))

    @override
    def add(self, resource: ScimGroup) -> ExternalGroup:
        return external_groups.add_group(
            self.directory.pk, reported_group(resource), actor=self.actor
        )


class ScimGroupsSearchView(ScimGroupsView):
    """The same, asked by a body."""

    http_method_names = ["post"]

    @override
    def post(self, request: HttpRequest) -> HttpResponse:
        """Return one page of what was asked for."""
        return self.search(_body(request))


class ScimGroupView(ScimResourceView):
    """One group of the directory."""

    model = ScimGroup
    parameters = ResponseParameters[ScimGroup]
    operations = PatchOp[ScimGroup]

    @override
    def row(self, key: UUID) -> ExternalGroup:
        return external_groups.group_of(self.directory, key)

    @override
    def build(self, row: ExternalGroup) -> ScimGroup:
        is_read = self.request.method == "GET"
        return group_resource(row, with_members=not (is_read and _leaves_out_members(self.request)))

    @override
    def change(self, key: UUID, resource: ScimGroup) -> ExternalGroup:
        reported = reported_group(resource)
        return external_groups.change_group(self.directory.pk, key, reported, actor=self.actor)

    @override
    def remove(self, key: UUID) -> None:
        external_groups.remove_group(self.directory.pk, key, actor=self.actor)


_QUERY: Final = frozenset({"filter", "startIndex", "count", "attributes", "excludedAttributes"})


def _body(request: HttpRequest) -> dict[str, Any]:
    try:
        return parse_object(request.body)
    except RequestDataTooBig as error:
        raise TooLargeError("body_too_large") from error


def _complete(resource: Any) -> Any:
    """Return a whole resource: a person of whom nothing else is said is active."""
    if isinstance(resource, ScimPerson) and resource.active is None:
        resource.active = True
    return resource


def _parameters(request: HttpRequest, shape: Any) -> ResponseParameters[Any]:
    names = {"attributes", "excludedAttributes"} & set(request.GET)
    given = {name: request.GET[name] for name in names}
    found: ResponseParameters[Any] = shape.model_validate(given)
    return found


def _leaves_out_members(request: HttpRequest) -> bool:
    excluded = request.GET.get("excludedAttributes", "").lower().replace(" ", "").split(",")
    return "members" in excluded and "members" not in request.GET.get("filter", "").lower()


def _key(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError:
        raise NotFoundError("external_account") from None


def _number(given: Any) -> int:
    text = str(given).strip()
    is_plain = text.removeprefix("-").isascii() and text.removeprefix("-").isdigit()
    return int(text) if is_plain and len(text) < 12 else 1


def _described(kind: str, description: Any, key: str) -> dict[str, Any]:
    shown: dict[str, Any] = description.model_dump(scim_ctx=Context.RESOURCE_QUERY_RESPONSE)
    where = location_of(kind, key).rstrip("/")
    name = {"Schemas": "Schema", "ResourceTypes": "ResourceType"}.get(kind, kind)
    return {**shown, "meta": {"resourceType": name, "location": where}}


def _list_of(
    rows: list[dict[str, Any]], total: int | None = None, start: int = 1
) -> dict[str, Any]:
    head = ListResponse[ScimPerson](
        total_results=len(rows) if total is None else total,
        start_index=start,
        items_per_page=len(rows),
    )
    return {**head.model_dump(), "Resources": rows}
