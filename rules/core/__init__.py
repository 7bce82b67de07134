"""Base of every rule system: randomness, errors, and the reading of names, files and dice."""
