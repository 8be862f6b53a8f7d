"""What fits together: releases of driver, CUDA, cuDNN and frameworks, as the feed states them.

Pure. The data comes from feed.py; a hole in the data is ``None`` or "" and means *unknown*.
"""
