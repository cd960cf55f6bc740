"""Components of the `local` target: roles as operating-system processes on this machine."""
