"""Random play of MasterBook."""
