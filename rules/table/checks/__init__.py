"""Checks: whatever takes its course in stops, with somebody asked at each."""
