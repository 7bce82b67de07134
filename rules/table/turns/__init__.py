"""Whose turn it is, phases, and the story's own time."""
