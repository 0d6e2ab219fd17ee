"""Secrets of users and groups: stored encrypted, given to the work that names them, shown to nobody."""
