"""What-if studies: the platform's past, simulated again under other rules."""
