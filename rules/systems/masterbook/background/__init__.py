"""Backgrounds in play: effects of Advantages and Compensations besides those on rolls."""
