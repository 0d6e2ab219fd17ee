"""What the endpoints of services carry: the table of routes, load by the second, use by key."""
