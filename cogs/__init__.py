"""Slash commands: options in, an action out. No arithmetic, no SQL, no decisions."""
