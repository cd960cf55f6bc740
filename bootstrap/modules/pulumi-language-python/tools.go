//go:build tools

// Package languagehost only pins the module version of Pulumi's Python language host for `bootstrap/go_build.py`.
package languagehost

import _ "github.com/pulumi/pulumi/sdk/v3/python/cmd/pulumi-language-python"
