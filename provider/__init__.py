"""The Pulumi provider of this project: resources that no published provider has."""

import sys

# Pulumi's SDK has a copy of google.rpc.Status under another file name, and protobuf refuses the second of two
# descriptors of one name: no process could hold the SDK's provider server and a client library of Google's.
# Both are the same message, so the SDK is given Google's.
if "pulumi.runtime.proto.status_pb2" not in sys.modules:
    from google.rpc import status_pb2

    sys.modules["pulumi.runtime.proto.status_pb2"] = status_pb2
