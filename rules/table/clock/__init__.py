"""The table's clock: pauses, rest and the weekly digest, as GMs set them."""
