"""REST endpoints of training metrics."""
