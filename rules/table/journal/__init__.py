"""Entries of the journal after the fact: undo, corrections asked for, and step-ins."""
