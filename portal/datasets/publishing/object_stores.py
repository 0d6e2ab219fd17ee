"""Who may publish from which object store: its file says whose data sets it is for.

Only the operator of the server names stores and addresses; people choose among them.
"""

from uuid import UUID

from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.errors import InvalidError, NotFoundError
from portal.common.site_config import ObjectStore, SiteConfig
from portal.tenancy import policies
from portal.tenancy.selectors import names_above_for_system


def stores_for(actor: Actor, site: SiteConfig) -> list[ObjectStore]:
    """Return the stores from which the actor may publish to some data set, by name."""
    stores = sorted(site.object_stores.values(), key=lambda store: store.name)
    if not stores or policies.can(actor, Action.DATASET_MANAGE, None):
        return stores
    managed = [group for group in actor.roles if policies.can(actor, Action.DATASET_MANAGE, group)]
    names = names_above_for_system(managed)
    return [store for store in stores if store.groups & names]


def find_store(actor: Actor, name: str, site: SiteConfig) -> ObjectStore:
    """Return one of them; raises `NotFoundError`."""
    for store in stores_for(actor, site):
        if store.name == name:
            return store
    raise NotFoundError("object_store")


def require_store_for(actor: Actor, store: ObjectStore, owner_id: UUID | None) -> None:
    """Refuse a store that is not for the data sets of that group; admins of the platform use all."""
    if policies.can(actor, Action.DATASET_MANAGE, None):
        return
    if owner_id is None or not store.groups & names_above_for_system([owner_id]):
        raise InvalidError("store_of_other_groups", pointer="/store", name=store.name)
