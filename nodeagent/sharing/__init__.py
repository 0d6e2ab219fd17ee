"""Sharing cards between containers: isolation levels, modes, enforcement, monitoring."""
