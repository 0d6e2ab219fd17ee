"""A soak: hours of work, people and killed processes on the whole platform; see `__main__`."""
