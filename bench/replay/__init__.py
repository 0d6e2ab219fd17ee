"""Published traces replayed under our policy and under published ones."""
