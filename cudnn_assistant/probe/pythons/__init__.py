"""Python environments and what is installed in them, read from files alone."""
