"""Saved views of lists: filters, order and columns under a name, also for all of a group."""
