"""Streams into what clusters run: there are none, and a refusal says that instead of naming a node."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from uuid import UUID

from portal.common.concurrency import run_in_thread
from portal.common.errors import ConflictError
from portal.execution.backends import CLUSTERS
from portal.execution.streams import Stream, StreamRequest, Streams
from portal.inventory.models import Node


@dataclass(frozen=True, slots=True)
class StreamsOrWords:
    """Opens streams by another back end's, and says why none can be opened into a cluster."""

    others: Streams

    @asynccontextmanager
    async def open_stream(self, node_id: UUID, request: StreamRequest) -> AsyncIterator[Stream]:
        """Provide a stream for the block; raises `ConflictError` when it cannot be opened.

        Whose node it is, is only asked once that has failed: what is typed does not wait for it.
        """
        async with AsyncExitStack() as stack:
            try:
                stream = await stack.enter_async_context(self.others.open_stream(node_id, request))
            except ConflictError as error:
                if await run_in_thread(_is_of_cluster, node_id):
                    raise ConflictError("backend_has_no_streams") from error
                raise
            yield stream


def _is_of_cluster(node_id: UUID) -> bool:
    return Node.objects.filter(pk=node_id, runtime__in=CLUSTERS).exists()
