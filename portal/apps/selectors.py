"""Reads of web apps: everyone may start those in use."""

from uuid import UUID

from django.db.models import QuerySet

from portal.apps.models import WebApp
from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.errors import NotFoundError
from portal.tenancy import policies


def app_image_ids_for_system() -> frozenset[UUID]:
    """Return the images that web apps run, withdrawn apps too."""
    return frozenset(WebApp.objects.values_list("image", flat=True))


def apps_visible_to(actor: Actor) -> QuerySet[WebApp]:
    """Return the web apps that people may start; to administrators, withdrawn ones too."""
    rows = WebApp.objects.select_related("image")
    is_manager = policies.can(actor, Action.IMAGE_MANAGE, None)
    return rows if is_manager else rows.filter(is_active=True)


def app_visible_to(actor: Actor, name: str) -> WebApp:
    """Return the web app of this name that people may start; raises `NotFoundError`."""
    app = apps_visible_to(actor).filter(name=name, is_active=True).first()
    if app is None:
        raise NotFoundError("app")
    return app
