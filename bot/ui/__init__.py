"""Discord's surface: acknowledging, the router for buttons, selects and modals, and panels."""
