"""Variables and lists of folders."""
