"""Makes the compatibility feed: compile the sources, check them, sign and lay them out."""
