"""What cards and containers use, looked at every few seconds and told in batches."""
