"""Logins of registries, for nodes that save an image or pull one from there."""

from uuid import UUID

from portal.catalog.selectors import references_to_prefetch_for_system
from portal.common.errors import NotFoundError
from portal.common.site_config import get_site_config
from portal.images.image_saves import is_saving_for_system
from portal.images.node_images import pulled_references_for_system
from portal.images.registries import reveal_registry
from portal.workloads.models import Allocation
from scheduler.core.model.states import LIVE_ALLOCATION
from wire.images import IMAGES_MAX, RegistryLogin, registry_host
from wire.values import TEXT_MAX


def reveal_registry_login(node_id: UUID, host: str = "") -> RegistryLogin:
    """Return the login of a registry, by default the platform's, to a node that needs it now.

    Raises:
        NotFoundError: there is none, or nothing of this node needs it.
    """
    registry = get_site_config().registry
    if host and (registry is None or registry.host != host):
        return _reveal_other(node_id, host)
    if registry is None or not _needs_own(node_id, registry.host):
        raise NotFoundError("registry")
    return RegistryLogin(host=registry.host, username=registry.username, password=registry.password)


def _reveal_other(node_id: UUID, host: str) -> RegistryLogin:
    """Return the login of another registry, if an image of this node is there."""
    live = Allocation.objects.filter(node=node_id, state__in=LIVE_ALLOCATION)
    of_work = live.values_list("workload__image__reference", flat=True)
    ahead = references_to_prefetch_for_system(IMAGES_MAX, TEXT_MAX)
    ordered = pulled_references_for_system(node_id)
    if host not in {registry_host(reference) for reference in (*of_work, *ahead, *ordered)}:
        raise NotFoundError("registry")
    return reveal_registry(host)


def _needs_own(node_id: UUID, host: str) -> bool:
    """Return whether a node saves an image, runs a saved one, or is to pull one."""
    if is_saving_for_system(node_id) or _runs_saved_image(node_id):
        return True
    return any(
        registry_host(reference) == host for reference in pulled_references_for_system(node_id)
    )


def _runs_saved_image(node_id: UUID) -> bool:
    live = Allocation.objects.filter(node=node_id, state__in=LIVE_ALLOCATION)
    return live.exclude(workload__image__owner=None).exists()
