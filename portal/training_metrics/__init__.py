"""Metrics that training programs print: read from logs, kept as thinned lines, compared between jobs."""
