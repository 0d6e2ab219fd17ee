"""Sharing cards between containers: isolation levels, limits, and their enforcement."""
