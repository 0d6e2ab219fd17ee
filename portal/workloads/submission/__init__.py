"""From request body to admitted work: inputs, admission, dry run."""
