"""Dice and cards outside checks, and the luck of players."""
