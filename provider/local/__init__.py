"""Resources of the `local` target."""
