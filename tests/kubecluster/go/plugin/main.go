// The Pulumi provider for Kubernetes, built from its published module.
//
// The module's own main package cannot be built as published, because the two
// embedded files are generated. programs.py lays them beside this file: the
// module's schema with its version filled in, and its mapping unchanged.
package main

import (
	_ "embed"

	"github.com/pulumi/pulumi-kubernetes/provider/v4/pkg/provider"
	"github.com/pulumi/pulumi-kubernetes/provider/v4/pkg/version"
)

//go:embed schema.json
var schema []byte

//go:embed terraform-mapping.json
var mapping []byte

func main() {
	provider.Serve("kubernetes", version.Version, schema, mapping)
}
