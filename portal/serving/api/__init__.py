"""REST endpoints of services."""
