"""Private panels: the GM's answer, a proposal made by selects, and what one may do next."""
