"""What cards and containers use: samples for the portal, metrics for Prometheus."""
