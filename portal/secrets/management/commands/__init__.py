"""Commands about stored secrets."""
