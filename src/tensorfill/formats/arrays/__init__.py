"""Arrays of numbers, with names, headers and chunks around them."""
