"""REST endpoints of the demo."""
