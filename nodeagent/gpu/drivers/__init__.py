"""Implementations of the port `GpuDriver`: NVIDIA by NVML, other vendors, simulated cards."""
