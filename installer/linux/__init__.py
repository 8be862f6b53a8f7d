"""Packages for Linux: a .deb, and an AppDir for an AppImage."""
