"""Characters and NPCs: coming, changing and going, and their sheets."""
