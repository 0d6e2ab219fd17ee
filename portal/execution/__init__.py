"""Where work runs: what a back end can do, is to run, and reports; plain values for all of them."""
