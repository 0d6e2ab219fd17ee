"""REST endpoints of tickets and shares."""
