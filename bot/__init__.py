"""The process: Discord on one side, the rules on the other, storage below."""
