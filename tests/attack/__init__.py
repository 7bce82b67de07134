"""What one person can do to all the others: the real bot in a process of its own, on loopback
sockets alone.

CI takes seconds of each attack, the nightly profile minutes. What is found stands in
docs/limits.md.
"""
