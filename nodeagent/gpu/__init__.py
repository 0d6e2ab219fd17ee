"""GPUs of this node: drivers that read them, and the evaluation of their health."""
