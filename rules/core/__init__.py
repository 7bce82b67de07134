"""What every rule system is built from: randomness, errors, the shared vocabulary of results."""
