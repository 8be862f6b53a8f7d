"""What makes packages of this program, and the feed that it reads."""
