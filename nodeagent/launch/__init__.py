"""What every runtime starts alike: environment variables, JupyterLab, ranks, data sets."""
