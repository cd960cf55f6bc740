// netpol enforces NetworkPolicy objects for the pods of one node, as a process
// of that node: the controller of sigs.k8s.io/kube-network-policies.
package main

import (
	"context"
	"flag"
	"os/signal"
	"syscall"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/klog/v2"
	"sigs.k8s.io/kube-network-policies/pkg/networkpolicy"
)

const packetQueue = 100 // the queue that node-init.sh sends new connections to

func main() {
	klog.InitFlags(nil)
	credentials := flag.String("kubeconfig", "", "file with credentials for the API server")
	node := flag.String("node", "", "name of this node")
	flag.Parse()
	if err := guard(*credentials, *node); err != nil {
		klog.Fatal(err)
	}
}

func guard(credentials, node string) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	config, err := clientcmd.BuildConfigFromFlags("", credentials)
	if err != nil {
		return err
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	shared := informers.NewSharedInformerFactory(client, 0)
	controller, err := networkpolicy.NewController(
		client,
		shared.Networking().V1().NetworkPolicies(),
		shared.Core().V1().Namespaces(),
		shared.Core().V1().Pods(),
		nil, nil, nil, nil, // AdminNetworkPolicy is not served here
		// NRI stays enabled although containerd 1.6 has none: switched off,
		// v0.8.0 dereferences nil for every address that belongs to no pod.
		networkpolicy.Config{NodeName: node, QueueID: packetQueue},
	)
	if err != nil {
		return err
	}
	shared.Start(ctx.Done())
	return controller.Run(ctx)
}
