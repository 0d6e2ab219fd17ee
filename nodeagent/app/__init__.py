"""The running agent: composition of its parts, the event loop, container tasks, node sampling."""
