"""The protocol between node agents and the portal: messages, limits and codec."""
