"""The process runtime: containers as supervised process trees, without isolation."""
