"""Quotas, budgets and counted limits, and the counters of what is in use."""
