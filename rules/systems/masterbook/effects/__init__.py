"""Special effects in play: designing, casting, running effects and charges (MB-SFX)."""
