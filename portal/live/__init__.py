"""The page's WebSocket, waiting for workloads and following logs, all in the live process."""
