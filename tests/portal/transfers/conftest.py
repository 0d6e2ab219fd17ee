"""What tests of the live process share."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from portal.common.origins import Origin
from portal.identity.models import User
from portal.live.authentication import authenticate
from portal.transfers.app import FileTransfers
from portal.transfers.transfer import FileThreads, TransferContext
from portal.volumes.files import volume_folder
from portal.volumes.models import Volume
from tests.builders.people import a_group, a_member, a_token
from tests.builders.volumes import a_group_volume
from tests.documented import documented_session
from tests.portal.transfers.file_site import PORTAL, Site
from tests.serving import free_socket, serving, url_of


@pytest.fixture
async def site(tmp_path: Path) -> AsyncIterator[Site]:
    def people() -> tuple[Volume, User, str, str, str]:
        group = a_group()
        owner = a_member(group)
        tokens = (a_token(a_member(group, "viewer")), a_token(a_member(a_group())))
        volume = a_group_volume(group, location=Volume.Location.SHARED)
        return volume, owner, a_token(owner), *tokens

    volume, owner, *tokens = await asyncio.to_thread(people)
    top = volume_folder(tmp_path, volume.pk)
    top.mkdir(parents=True)
    listener = free_socket()
    with FileThreads() as threads:
        context = TransferContext(
            portal=Origin.parse(PORTAL),
            session_cookie="berth-session",
            authenticate=authenticate,
            storage_dir=tmp_path,
            threads=threads,
            recheck_s=0.05,
            silent_max_s=2,
        )
        async with documented_session() as client, serving(FileTransfers(context), listener):
            yield Site(url_of(listener), client, volume, top, owner, *tokens)
