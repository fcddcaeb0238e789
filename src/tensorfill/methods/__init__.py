"""The methods a user can pick, one file each, and the registry that names them."""
