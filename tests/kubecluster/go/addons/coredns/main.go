// coredns with the few plugins that a cluster's DNS needs; the published
// selection also links the libraries of several clouds.
package main

import (
	"github.com/coredns/coredns/core/dnsserver"
	"github.com/coredns/coredns/coremain"

	_ "github.com/coredns/coredns/plugin/cache"
	_ "github.com/coredns/coredns/plugin/errors"
	_ "github.com/coredns/coredns/plugin/health"
	_ "github.com/coredns/coredns/plugin/kubernetes"
	_ "github.com/coredns/coredns/plugin/ready"
	_ "github.com/coredns/coredns/plugin/template"
)

func main() {
	// A query passes the plugins in this order, whatever the Corefile's.
	dnsserver.Directives = []string{"ready", "health", "errors", "cache", "kubernetes", "template"}
	coremain.Run()
}
