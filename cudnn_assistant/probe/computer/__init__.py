"""The computer itself: GPUs, driver, kernel, Windows' devices, container and WSL."""
