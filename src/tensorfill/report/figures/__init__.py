"""The figures, one file each: what is drawn from which rows."""
