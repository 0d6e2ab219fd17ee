"""Ways into what clusters run: there are none, which is said; those of agents are opened as before."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from uuid import UUID

import pytest
from asgiref.sync import sync_to_async

from portal.common.errors import ConflictError
from portal.execution.streams import Shell, Stream, StreamRequest
from portal.foreign.streams import StreamsOrWords
from portal.inventory.models import Node
from tests.builders.machines import a_node, a_pool

pytestmark = pytest.mark.django_db(transaction=True)
REQUEST = StreamRequest("x.0", 1, Shell())


@dataclass
class OfflineStreams:
    """Opens nothing: no node is linked."""

    @asynccontextmanager
    async def open_stream(self, node_id: UUID, request: StreamRequest) -> AsyncIterator[Stream]:
        """Refuse."""
        raise ConflictError("node_offline")
        yield  # type: ignore[unreachable]


@pytest.mark.parametrize(
    ("runtime", "code"),
    [
        ("slurm", "backend_has_no_streams"),
        ("kubernetes", "backend_has_no_streams"),
        ("docker", "node_offline"),
    ],
)
async def test_why_there_is_no_way_in(runtime: str, code: str) -> None:
    node = await sync_to_async(lambda: a_node(a_pool()))()
    await Node.objects.filter(pk=node.pk).aupdate(runtime=runtime)
    with pytest.raises(ConflictError) as refused:
        async with StreamsOrWords(OfflineStreams()).open_stream(node.pk, REQUEST):
            pass
    assert refused.value.code == code
