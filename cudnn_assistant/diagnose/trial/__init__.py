"""What the tests and experiments show by themselves."""
