"""The protocol between node agents and the portal: its messages, limits and codec."""
