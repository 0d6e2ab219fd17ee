"""REST endpoints of data sets."""
