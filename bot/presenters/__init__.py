"""Events and errors -> messages. Every word and every Discord limit lives here; nothing is decided
here.
"""
