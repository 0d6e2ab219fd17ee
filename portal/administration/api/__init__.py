"""REST endpoints of groups, quotas, budgets, limits and uses of data sets."""
