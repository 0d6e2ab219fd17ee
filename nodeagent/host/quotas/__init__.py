"""Project quotas of file systems: the limit of a folder that the kernel keeps."""
