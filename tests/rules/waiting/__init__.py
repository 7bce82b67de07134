"""Who is waited for, by the rules of all systems."""
