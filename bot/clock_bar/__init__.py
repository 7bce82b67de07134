"""The bar with which the page of the local table moves the table's clock."""
