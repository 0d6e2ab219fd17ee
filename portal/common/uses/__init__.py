"""What is in use, and by whom: asked by apps below, answered by apps above them."""
