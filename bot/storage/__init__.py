"""Durable storage: one SQLite file, state in parts, a journal, an outbox. Knows nothing of
Discord.
"""
