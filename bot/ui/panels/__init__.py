"""Private panels: a GM's answer, a proposal made by selects, and a user's next actions."""
