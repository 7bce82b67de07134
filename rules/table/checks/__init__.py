"""Checks: procedures in stages, with the participants that each stage asks."""
