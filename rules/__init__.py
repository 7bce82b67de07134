"""The games: pure, synchronous and deterministic. No I/O, no clock, no randomness of its own."""
