"""The support report: one Markdown file for people, with the whole snapshot inside for machines."""
