"""REST endpoints of requests and their decisions."""
