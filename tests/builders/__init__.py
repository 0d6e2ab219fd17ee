"""Builders: one function per kind of row, showing only what the test is about."""
