"""Files that ship with the package; see README.md for where they come from."""
