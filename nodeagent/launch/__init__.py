"""Starting work, the parts that all runtimes share: environment, JupyterLab, ranks, data sets."""
