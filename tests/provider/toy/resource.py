"""A resource that is one file, and that misbehaves on demand."""

import time
from pathlib import Path

from provider.errors import ProviderError
from provider.operation import Operation
from provider.properties import Properties
from provider.resource import Created, Problem, Resource, State


class Inputs(Properties, frozen=True, kw_only=True):
    path: str
    text: str
    count: int = 0
    manner: str = "obey"


class Outputs(Properties, frozen=True, kw_only=True):
    length: int
    shout: str


class Toy(Resource[Inputs, Outputs]):
    """Writes ``text`` into a new file ``path``; ``manner`` says what goes wrong."""

    inputs_type = Inputs
    outputs_type = Outputs
    replace_on = frozenset({"path"})
    secret_outputs = frozenset({"shout"})

    def check(self, inputs: Inputs) -> list[Problem]:
        problems: list[Problem] = []
        if not inputs.text:
            problems.append(Problem("text", "text is empty: write something"))
        if inputs.count < 0:
            problems.append(Problem("count", f"count={inputs.count} is negative: use 0 or more"))
        return problems

    def create(self, operation: Operation, inputs: Inputs) -> Created[Outputs]:
        return Created(inputs.path, self._write(operation, inputs))

    def update(self, operation: Operation, state: State[Inputs, Outputs], inputs: Inputs) -> Outputs:
        return self._write(operation, inputs)

    def read(self, operation: Operation, state: State[Inputs, Outputs]) -> State[Inputs, Outputs] | None:
        path = Path(state.id)
        if not path.exists():
            return None
        outputs = Outputs(length=len(path.read_text()), shout=path.read_text().upper())
        return State(state.id, state.inputs, outputs)

    def delete(self, operation: Operation, state: State[Inputs, Outputs]) -> None:
        Path(state.id).unlink(missing_ok=True)

    def _write(self, operation: Operation, inputs: Inputs) -> Outputs:
        match inputs.manner:
            case "fail":
                raise ProviderError("the toy won't: set manner to obey")
            case "crash":
                raise KeyError("lost")
            case "chat":
                for number in range(30):
                    operation.progress.show(f"fleeting {number}")
                    operation.sleep(0.1)
                operation.progress.say("staying")
                operation.progress.warn("worrying")
            case "wait":
                operation.progress.say("waiting now")
                operation.sleep(600)
            case "deaf":
                operation.progress.say("deaf now")
                time.sleep(600)
            case _:
                pass
        Path(inputs.path).write_text(inputs.text)
        return Outputs(length=len(inputs.text), shout=inputs.text.upper())
