"""The query strings of waiting and following."""

from typing import ClassVar, Final

from rest_framework import serializers

from portal.common.serializers import OneOfField, QuerySerializer
from portal.workloads.logs import SIZE_MAX
from wire.messages import REPLICAS_MAX

WAIT_MAX_S: Final = 300
"""How long a request may wait for work to change."""
WAIT_S: Final = 60
"""The same, where the request does not say."""
OFFSET_MAX: Final = 2 * SIZE_MAX
"""Offset from which a log may be read."""


class WaitQuery(QuerySerializer):
    """How long to wait for what."""

    paging: ClassVar[frozenset[str]] = frozenset()

    timeout = serializers.IntegerField(min_value=0, max_value=WAIT_MAX_S, default=WAIT_S)
    state = OneOfField(["terminal", "running"], default="terminal")


class LogQuery(QuerySerializer):
    """Which part of which rank's log, and whether to stay for more."""

    paging: ClassVar[frozenset[str]] = frozenset()

    rank = serializers.IntegerField(min_value=0, max_value=REPLICAS_MAX - 1, default=0)
    offset = serializers.IntegerField(min_value=-OFFSET_MAX, max_value=OFFSET_MAX, default=0)
    limit = serializers.IntegerField(min_value=1, max_value=OFFSET_MAX, default=OFFSET_MAX)
    follow = serializers.BooleanField(default=False)
