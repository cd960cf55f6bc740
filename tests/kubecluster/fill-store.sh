#!/bin/bash
# Unpack OCI archives into a directory of containerd's data. Runs in mount and PID
# namespaces of its own; the containerd in it ends with them.
#
# usage: fill-store.sh STORE LOG TAG [NAME ARCHIVE]...
set -eu
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
store=$1 log=$2 tag=$3
shift 3
mkdir -p "$store/containerd"
mount -t tmpfs -o mode=755 tmpfs /run
cat >/run/config.toml <<-END
	version = 2
	root = "$store/containerd"
	state = "/run/containerd"
	disabled_plugins = ["io.containerd.grpc.v1.cri"]
	[grpc]
	address = "/run/containerd.sock"
END
containerd --config /run/config.toml >>"$log" 2>&1 &
daemon=$!
client() { ctr --address /run/containerd.sock --namespace k8s.io "$@" >>"$log" 2>&1; }
for _ in $(seq 200); do
	client version && break
	sleep 0.05
done
while [ $# -gt 0 ]; do
	# Two names each: the tag's for people, the digest's for pods.
	client images import --digests --base-name "$1" "$2" || {
		echo "containerd did not take $2: see $log" >&2
		exit 1
	}
	shift 2
done
kill "$daemon"
wait "$daemon" || true
