"""Reading files and folders: the one door to the disk, and the names that matter there."""
