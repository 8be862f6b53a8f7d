"""The cuDNN test and the frameworks' own test: started, watched, and put into words of a trial."""
