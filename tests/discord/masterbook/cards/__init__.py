"""MasterBook with its cards, through the simulated Discord."""
