"""Amendments: an earlier entry of the journal changed, with the later entries carried out anew.

`bot.services.amendment` carries the entries out. Here is what may be amended, what the later
actions refer to on the changed table, and what each audience is told.
"""
