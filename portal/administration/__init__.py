"""Groups, limits and quotas as administrators change them, checked against the work that exists."""
