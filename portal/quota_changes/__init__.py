"""Changes of many quotas at once: previewed on the work that exists, saved, taken back."""
