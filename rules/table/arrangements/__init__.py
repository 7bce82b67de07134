"""Arrangements of players: absences, standing orders, stand-ins, and words left."""
