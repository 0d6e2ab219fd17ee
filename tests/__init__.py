"""The tests: folders mirror the product, tiers are markers (see `docs/dev/testing.md`)."""
