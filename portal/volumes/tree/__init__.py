"""The files below one folder whose content is not trusted, by directory file descriptors only."""
