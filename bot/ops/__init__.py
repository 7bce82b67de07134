"""Tools for the operator: a check, copies of the database, and figures. No game is known here."""
