"""What docstrings, comments and pages name, and whether it is there."""
