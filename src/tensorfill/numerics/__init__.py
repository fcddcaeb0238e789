"""Linear algebra for all methods: systems, operators, sparse tensors, and work shared between cores; knows no paper."""
