"""The CUDA that cuDNN needs beside it."""
