"""The real bot in a process of its own: killed, cut off, refused, overtaken; and what it owes
nevertheless.
"""
