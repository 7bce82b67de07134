"""GMs of a table: their roster, deputies, acts and tools."""
