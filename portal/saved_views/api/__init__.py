"""REST endpoints of saved views."""
