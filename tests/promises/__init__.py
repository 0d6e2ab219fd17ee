"""Hours of a site at speed, and what must have held of them; see `__main__`."""
