"""One file per dataset, each with a `DATASET`; a new file here is a new dataset."""
