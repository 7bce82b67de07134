"""Forms: fields, their values as typed, and the limits of typed texts."""
