"""Tests repeated with one difference, so that a cause is known instead of supposed."""
