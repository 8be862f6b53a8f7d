"""The copies of cuDNN: which there are, which is loaded, whether it is good."""
