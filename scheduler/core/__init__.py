"""The scheduling decisions, pure: a snapshot in, a plan out."""
