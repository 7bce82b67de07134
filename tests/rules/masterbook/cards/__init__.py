"""The card deck of MasterBook."""
