"""When running work ends, and what a promised start keeps of a node until then."""
