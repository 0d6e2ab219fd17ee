"""Why work waits, and the capacity that a plan leaves."""
