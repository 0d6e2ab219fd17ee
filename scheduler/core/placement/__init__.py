"""The placement kernel on arrays: which node and which cards cost the expected demand least."""
