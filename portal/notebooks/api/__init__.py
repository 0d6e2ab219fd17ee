"""REST endpoints of notebooks."""
