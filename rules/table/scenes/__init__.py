"""Scenes of the story: their course, speech, moves between places, and whispers."""
