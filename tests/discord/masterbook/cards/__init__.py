"""The card deck of MasterBook on the simulated Discord."""
