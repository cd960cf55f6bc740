"""The errors of the provider that are meant for the person at the terminal.

Whatever a resource raises of these reaches the terminal as its message alone: no class name, no traceback.
Any other exception is a defect of ours; ``host.py`` reports it with the resource and the log that has the
traceback.
"""


class ProviderError(Exception):
    """Something a user can act on.

    The message says what is wrong, by which rule or at which place, and the command or edit that fixes it.
    """


class InterruptedByUser(ProviderError):  # noqa: N818 - it ends an operation as asked, nothing went wrong
    """The operation was stopped because the user interrupted ``pulumi``; the message says what was left."""
