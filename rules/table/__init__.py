"""What every table shares whatever its system: people, characters, checks, and the actions
on them.
"""
