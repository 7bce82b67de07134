"""Times without a table: rest, zones, lengths of time as typed, and schedules."""
