"""Endpoints of data sets, of their copies on nodes, and of what is published."""
