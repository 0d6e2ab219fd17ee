"""Folders, outputs of jobs and objects that become versions of data sets."""
