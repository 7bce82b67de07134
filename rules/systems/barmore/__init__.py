"""Barmore's dice pool: Add Dice are totalled, Bonus and Penalty Dice decide which ones stay.

The arithmetic of each rule stands in the module named after it: `dice`, `pool`, `task`, `odds`, `traits`, `wounds`,
`healing`, `phases`, `extended`.
"""
