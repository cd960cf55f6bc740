"""The product's fork server, whose children are the light ones."""

import sys
import types

from tests.provider.local.light import coordinator, server
from training import fork_server

if __name__ == "__main__":
    sys.modules["training.server"] = types.ModuleType("training.server")
    sys.modules["training.server"].run_server = server.die if "dying" in sys.argv else server.run_server
    sys.modules["training.coordinator"] = types.ModuleType("training.coordinator")
    sys.modules["training.coordinator"].run_coordinator = coordinator.run_coordinator
    fork_server.import_tensorflow = lambda: None
    sys.exit(fork_server.main())
