"""Settings of a table, its pace, and the rows of its campaign."""
