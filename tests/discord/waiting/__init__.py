"""Who is waited for, through Discord."""
