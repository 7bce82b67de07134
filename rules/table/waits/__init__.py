"""Waits: what a table waits for, for how long, and what happens when a wait runs out."""
