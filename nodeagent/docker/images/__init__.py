"""Images of this node: pulls with progress, prefetching, cleaning up."""
