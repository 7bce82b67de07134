"""The card deck of MasterBook: hands, pools, subplots, initiative by card, tasks in steps
(MB-CARD).
"""
