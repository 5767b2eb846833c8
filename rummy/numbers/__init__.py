"""Measured and counted numbers of the games: dealt hands, jokers, drops, pools.

A `Table` declares its cells and what one sample is; `running.run` measures the cells and writes
`*.csv` files with a manifest. `python -m rummy numbers show` prints them.
"""
