"""GPUs of the node: the drivers that read them, and their health."""
