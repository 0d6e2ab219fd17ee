"""Who goes first: fair share between groups, priority inside one, then users, then age."""

from scheduler.core.ordering.line import in_queue_order
from scheduler.core.ordering.priority import effective_priority
from scheduler.core.ordering.standing import Standing, entitlements

__all__ = ["Standing", "effective_priority", "entitlements", "in_queue_order"]
