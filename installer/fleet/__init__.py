"""For whoever looks after many computers; README.md is the way in."""
