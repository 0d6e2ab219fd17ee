"""Files of volumes over SFTP: a folder for each volume, below it what the page Files shows."""
