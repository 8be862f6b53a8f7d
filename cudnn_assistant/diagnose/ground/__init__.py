"""What every program needs: a GPU, its driver, and leave to use them."""
