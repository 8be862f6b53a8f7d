"""Running parts of the look and child processes beside each other; none can hold up the whole."""
