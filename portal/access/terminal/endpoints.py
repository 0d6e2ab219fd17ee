"""The endpoints of terminals: what each takes, and the frames that pass."""

from typing import Final

from rest_framework import serializers

from portal.access.sessions import SIDE_MAX
from portal.access.terminal.frames import TERMINAL_FRAMES
from portal.common.rest.live_endpoints import LiveEndpoint, LiveOperation
from portal.common.rest.serializers import PatternField, QuerySerializer
from portal.common.work_kinds import KINDS, WorkTerms
from wire.messages import REPLICAS_MAX


class TerminalQuery(QuerySerializer):
    """Rank and window size, and the session to attach to, if there is one."""

    rank = serializers.IntegerField(min_value=0, max_value=REPLICAS_MAX - 1, default=0)
    columns = serializers.IntegerField(min_value=1, max_value=SIDE_MAX, default=80)
    rows = serializers.IntegerField(min_value=1, max_value=SIDE_MAX, default=24)
    session = PatternField(r"^[\w-]{32}$", fault="not_a_session", default="", allow_blank=True)


def _endpoint(terms: WorkTerms) -> LiveEndpoint[str]:
    operation = LiveOperation(
        id=f"{terms.operation}_terminal_get",
        description="Open a WebSocket to a new shell in the container of a rank, or to one that was left "
        "open.\n\nA frame `exited` or `closed` comes before the end. Pages name their origin, tokens need not.",
        serve=terms.kind,
        parameters=(TerminalQuery,),
        responses={101: None},
        frames=TERMINAL_FRAMES,
    )
    return LiveEndpoint(f"api/v1/{terms.plural}/<uuid:workload_id>/terminal", {"GET": operation})


TERMINAL_ENDPOINTS: Final = (*(_endpoint(terms) for terms in KINDS.values() if terms.has_terminal),)
