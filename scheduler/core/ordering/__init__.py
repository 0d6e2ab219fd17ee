"""The orders of the queue: fair share between groups, priority inside one, then users, then age."""
