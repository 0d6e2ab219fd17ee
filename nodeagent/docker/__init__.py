"""The Docker runtime: containers in a Docker engine, behind the port `ContainerRuntime`."""
