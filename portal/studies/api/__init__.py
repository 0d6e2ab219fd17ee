"""REST endpoints of studies."""
