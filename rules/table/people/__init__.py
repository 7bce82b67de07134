"""Characters and NPCs, and their sheets."""
