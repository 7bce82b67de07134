"""Who is waited for: what people set, press and read."""
