"""The bars above the conversation on the page of the local table: its clock, and its places."""
