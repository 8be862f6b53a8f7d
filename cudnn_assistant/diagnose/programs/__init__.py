"""The frameworks, and the packages of their environments."""
