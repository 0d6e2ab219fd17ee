"""Samples of what cards and containers use: recording, rolling up, charts, Prometheus."""
