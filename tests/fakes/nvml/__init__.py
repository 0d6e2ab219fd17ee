"""A fake NVML in C: the real binding, and everything above it, runs against it without a GPU."""
