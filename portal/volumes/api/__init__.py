"""REST endpoints of volumes."""
