"""GPU and container usage: samples for the portal and metrics for Prometheus."""
