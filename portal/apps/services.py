"""Writes of web apps; every change is in the audit log."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction

from portal.apps.models import WebApp
from portal.audit import services as audit
from portal.audit.versions import WEB_APP, require_version
from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.errors import ConflictError, NotFoundError
from portal.tenancy import policies


@transaction.atomic
def add_app(*, actor: Actor, app: WebApp) -> WebApp:
    """Add a web app that people may start."""
    policies.require(actor, Action.IMAGE_MANAGE, None)
    try:
        with transaction.atomic():
            app.save(force_insert=True)
    except IntegrityError as error:
        raise ConflictError("app_name_taken", name=app.name, pointer="/name") from error
    _audit(actor, "web_app.create", app)
    return app


@transaction.atomic
def change_app(
    *, actor: Actor, app_id: UUID, changes: Mapping[str, Any], version: int | None = None
) -> WebApp:
    """Change a web app; sessions that run keep what they were started with.

    Apps are never deleted, because past sessions refer to them.

    Raises:
        ConflictError: `version`, which the caller read, is not the present one.
    """
    policies.require(actor, Action.IMAGE_MANAGE, None)
    rows = WebApp.objects.select_for_update(of=("self",)).select_related("image")
    app = rows.filter(pk=app_id).first()
    if app is None:
        raise NotFoundError("app")
    require_version(WEB_APP, app.pk, version)
    for name, value in changes.items():
        setattr(app, name, value)
    app.save(update_fields=sorted(changes))
    _audit(actor, "web_app.change", app)
    return app


def _audit(actor: Actor, action: str, app: WebApp) -> None:
    params = {"name": app.name, "image": app.image.name, "is_active": app.is_active}
    audit.record_event(
        actor=actor, action=action, object_type="web_app", object_id=app.pk, params=params
    )
