"""Checks from the idea to what comes of them: proposing, rolling, spending, hits."""
