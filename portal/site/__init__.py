"""Settings of the whole site that administrators change while it runs, and its local time."""
