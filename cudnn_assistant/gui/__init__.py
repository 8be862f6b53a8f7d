"""The window: four pages that show what the rest of the program found and can do."""
