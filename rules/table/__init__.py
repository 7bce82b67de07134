"""Rules of all tables, whatever their system: characters, checks, turns and actions."""
