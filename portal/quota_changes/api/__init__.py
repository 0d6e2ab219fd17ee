"""Endpoints of changes of quotas."""
