"""The installer for Windows: one script that a release machine and CI share."""
