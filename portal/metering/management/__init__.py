"""Commands of the meter."""
