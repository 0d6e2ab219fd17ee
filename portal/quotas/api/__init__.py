"""Endpoints of quotas, limits, budgets and fair share."""
