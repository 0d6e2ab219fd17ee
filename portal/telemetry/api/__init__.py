"""REST endpoints of charts, and `/metrics`."""
