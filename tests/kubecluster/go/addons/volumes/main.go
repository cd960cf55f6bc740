// volumes provisions local PersistentVolumes: a directory of the machine, bound
// to the node of the claim's first pod, as a zonal disk would be.
//
// Volumes of type "local" get the pod's fsGroup from the kubelet, which plain
// host paths do not: a pod that runs as an ordinary user can write to them.
package main

import (
	"context"
	"errors"
	"flag"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	core "k8s.io/api/core/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/klog/v2"
	"sigs.k8s.io/sig-storage-lib-external-provisioner/v11/controller"
)

type directories struct{ root string }

func (d directories) Provision(
	_ context.Context, options controller.ProvisionOptions,
) (*core.PersistentVolume, controller.ProvisioningState, error) {
	node := options.SelectedNode
	if node == nil {
		return nil, controller.ProvisioningFinished, errors.New("needs WaitForFirstConsumer")
	}
	path := filepath.Join(d.root, options.PVName)
	if err := os.MkdirAll(path, 0o750); err != nil {
		return nil, controller.ProvisioningFinished, err
	}
	onNode := core.NodeSelectorRequirement{
		Key: core.LabelHostname, Operator: core.NodeSelectorOpIn, Values: []string{node.Name},
	}
	volume := &core.PersistentVolume{
		ObjectMeta: meta.ObjectMeta{Name: options.PVName},
		Spec: core.PersistentVolumeSpec{
			AccessModes: options.PVC.Spec.AccessModes,
			Capacity: core.ResourceList{
				core.ResourceStorage: options.PVC.Spec.Resources.Requests[core.ResourceStorage],
			},
			PersistentVolumeReclaimPolicy: *options.StorageClass.ReclaimPolicy,
			PersistentVolumeSource: core.PersistentVolumeSource{
				Local: &core.LocalVolumeSource{Path: path},
			},
			NodeAffinity: &core.VolumeNodeAffinity{Required: &core.NodeSelector{
				NodeSelectorTerms: []core.NodeSelectorTerm{
					{MatchExpressions: []core.NodeSelectorRequirement{onNode}},
				},
			}},
		},
	}
	return volume, controller.ProvisioningFinished, nil
}

func (d directories) Delete(_ context.Context, volume *core.PersistentVolume) error {
	return os.RemoveAll(filepath.Join(d.root, volume.Name))
}

func main() {
	klog.InitFlags(nil)
	credentials := flag.String("kubeconfig", "", "file with credentials for the API server")
	name := flag.String("provisioner", "tfcluster.test/local", "what storage classes name")
	root := flag.String("root", "", "directory that the volumes are made in")
	flag.Parse()
	config, err := clientcmd.BuildConfigFromFlags("", *credentials)
	if err != nil {
		klog.Fatal(err)
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		klog.Fatal(err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	controller.NewProvisionController(
		ctx, client, *name, directories{*root},
		controller.LeaderElection(false),
	).Run(ctx)
}
