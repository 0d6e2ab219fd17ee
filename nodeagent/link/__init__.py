"""The connection to the portal: joining, keys, the WebSocket, log shipping."""
