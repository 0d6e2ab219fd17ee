"""Promised and expected starts of waiting work, and learned run times."""
