"""Set-up on a bare machine: virtual environment and Pulumi engine, with the standard library alone."""
