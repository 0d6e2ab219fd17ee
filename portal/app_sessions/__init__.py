"""Sessions of web apps: started on a folder, opened, closed."""
