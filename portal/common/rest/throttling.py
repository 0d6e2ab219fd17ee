"""Request limits, counted atomically in Redis, or in PostgreSQL while Redis is away."""

import math
from datetime import timedelta
from typing import ClassVar

import structlog
from django.db import connection
from redis.exceptions import RedisError
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle
from typing_extensions import override

from portal.common.actor import Actor
from portal.common.clock import now
from portal.common.models import RateCount
from portal.common.redis_client import get_redis_client

logger = structlog.get_logger(__name__)


class RateThrottle(BaseThrottle):
    """At most `count` requests in each window of `window_s` seconds, per caller.

    A caller is the signed-in user, else the network address.
    """

    scope: ClassVar[str]
    count: ClassVar[int]
    window_s: ClassVar[int] = 60

    @override
    def allow_request(self, request: Request, view: object) -> bool:
        """Count the request and return whether it is within the limit."""
        moment = now().timestamp()
        window = math.floor(moment / self.window_s)
        self.ends_in = (window + 1) * self.window_s - moment
        key = f"berth:rate:{self.scope}:{self._caller(request)}:{window}"
        return count_hit(key, self.window_s) <= self.count

    @override
    def wait(self) -> float:
        """Return after how many seconds the next window begins."""
        return self.ends_in

    def _caller(self, request: Request) -> str:
        actor = getattr(request, "actor", None)
        if isinstance(actor, Actor) and actor.user_id:
            return str(actor.user_id)
        return str(request.META.get("REMOTE_ADDR", ""))


class RequestThrottle(RateThrottle):
    """Limits all requests of one caller together."""

    scope = "all"
    count = 3000


class WriteThrottle(RateThrottle):
    """The same of requests that write: a list may be read at the address at which things are made."""

    @override
    def allow_request(self, request: Request, view: object) -> bool:
        """Count the request if it writes, and return whether it is within the limit."""
        return request.method in SAFE_METHODS or super().allow_request(request, view)


class SubmissionThrottle(WriteThrottle):
    """Limits submissions of one caller."""

    scope = "submit"
    count = 1200


class TokenThrottle(WriteThrottle):
    """Limits new tokens, keys, robots and passwords."""

    scope = "tokens"
    count = 30


class NodeJoinThrottle(RateThrottle):
    """Limits join attempts of one address, against guessing of tokens."""

    scope = "join"
    count = 30


class NodeImagesThrottle(RateThrottle):
    """Limits how often one address may report images; many nodes may be behind it."""

    scope = "node_images"
    count = 6000


class NodeSecretsThrottle(RateThrottle):
    """Limits how often one address may ask for the secrets of starting work."""

    scope = "node_secrets"
    count = 3000


def count_hit(key: str, window_s: int) -> int:
    """Count one more request under a key that expires with its window; return the new count."""
    try:
        redis = get_redis_client()
        hits = int(redis.incr(key))
        if hits == 1:
            redis.expire(key, window_s)
    except RedisError as error:
        logger.warning("throttling.fallback", error=str(error))
        return _hits_in_database(key, window_s)
    return hits


def delete_expired_counts() -> int:
    """Delete counts of past windows and return how many there were."""
    deleted, _ = RateCount.objects.filter(expires_at__lt=now()).delete()
    return deleted


def _hits_in_database(key: str, window_s: int) -> int:
    expires_at = now() + timedelta(seconds=window_s)
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO common_ratecount (key, count, expires_at) VALUES (%s, 1, %s) "
            "ON CONFLICT (key) DO UPDATE SET count = common_ratecount.count + 1 RETURNING count",
            [key, expires_at],
        )
        return int(cursor.fetchone()[0])
