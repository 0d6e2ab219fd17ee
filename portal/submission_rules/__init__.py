"""Rules of groups and pools for what is submitted: defaults, locked fields, ranges, choices."""
