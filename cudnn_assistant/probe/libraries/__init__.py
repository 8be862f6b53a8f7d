"""Copies of cuDNN and the libraries beside it: where they lie, whose they are, which wins."""
