"""A host that takes another time for the right one."""
