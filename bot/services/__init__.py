"""Use cases: load, resolve, save, journal and outbox as one transaction. Knows nothing of
Discord.
"""
