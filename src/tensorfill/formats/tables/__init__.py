"""Tables of coordinates and values."""
