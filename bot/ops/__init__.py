"""For whoever runs the bot: a check, copies of the database, and figures. Knows nothing of the
game.
"""
