"""An error answer in the form that Google's APIs give it."""


class RefusedError(Exception):
    """The API answers with an error."""

    def __init__(self, status: int, message: str, reason: str = "") -> None:
        super().__init__(message)
        self.status = status
        self.body = {
            "error": {
                "code": status,
                "message": message,
                "errors": [{"reason": reason, "message": message}],
                "details": [{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": reason}],
            }
        }
