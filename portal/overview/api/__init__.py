"""REST endpoints of the overview and of the map of cards."""
