"""Turns, rounds and phases of encounters, and the story's own time."""
