"""The login of the registry, for nodes that save an image or run one from there."""

from uuid import UUID

from portal.common.errors import NotFoundError
from portal.common.site_config import get_site_config
from portal.environments.image_saves import is_saving_for_system
from portal.workloads.models import Allocation
from scheduler.core.model.states import LIVE_ALLOCATION
from wire.images import RegistryLogin


def reveal_registry_login(node_id: UUID) -> RegistryLogin:
    """Return the login of the registry to a node that needs it now.

    Raises:
        NotFoundError: there is no registry, or nothing of this node needs it.
    """
    registry = get_site_config().registry
    if registry is None or not (is_saving_for_system(node_id) or _runs_saved_image(node_id)):
        raise NotFoundError("registry")
    return RegistryLogin(host=registry.host, username=registry.username, password=registry.password)


def _runs_saved_image(node_id: UUID) -> bool:
    live = Allocation.objects.filter(node=node_id, state__in=LIVE_ALLOCATION)
    return live.exclude(workload__image__owner=None).exists()
