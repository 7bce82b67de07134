"""The rule systems, one folder each. They never import one another; `rules.registry` lists them."""
