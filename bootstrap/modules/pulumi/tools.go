//go:build tools

// Package engine only pins the Pulumi engine's module versions for `bootstrap/go_build.py`.
package engine

import _ "github.com/pulumi/pulumi/pkg/v3/cmd/pulumi"
