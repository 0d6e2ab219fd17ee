"""What copies the source of a publication: a folder of the storage, or objects of a store."""

from pathlib import Path

from portal.common.errors import NotFoundError
from portal.common.site_config import SiteConfig
from portal.datasets.models import DatasetPublication, PublicationSource
from portal.volumes.files import volume_folder
from portal.volumes.object_copies import ObjectCopier
from portal.volumes.output_folders import outputs_folder
from portal.volumes.tree.copied_files import Copier
from portal.volumes.tree.copying import TreeCopier
from portal.volumes.tree.paths import parse_path


def copier_of(publication: DatasetPublication, site: SiteConfig, target: Path) -> Copier:
    """Return what copies the source to that folder.

    Raises:
        NotFoundError: its store is no longer configured.
    """
    if publication.source_id is None:
        store = site.object_stores.get(publication.store)
        if store is None:
            raise NotFoundError("object_store")
        return ObjectCopier(store, publication.source_path, target)
    place = volume_folder if publication.source == PublicationSource.VOLUME else outputs_folder
    top = place(site.storage_dir, publication.source_id)
    return TreeCopier(top, parse_path(publication.source_path), target)
