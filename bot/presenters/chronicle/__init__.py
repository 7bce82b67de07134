"""The chronicle of a table: what a reader was told, as a book in one of several formats."""
