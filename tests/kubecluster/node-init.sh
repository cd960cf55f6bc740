#!/bin/bash
# The first process of one node, in PID, mount, network, UTS and IPC namespaces of
# its own: whatever a node makes - mounts, firewall rules, containers - ends with it.
#
# usage: node-init.sh NODE_DIRECTORY
set -eu
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
node=$1
name=${node##*/}
# shellcheck source=/dev/null
. "$node/node.env"

# Files: /run and /var are the node's own, everything else is the machine's.
mount -t tmpfs -o mode=755 tmpfs /run
mkdir -p /run/lock /run/netns "$node"/var/{lib,log,tmp,cache}
ln -sfn /run "$node/var/run"
ln -sfn /run/lock "$node/var/lock"
mount --bind "$node/var" /var
mount --make-rshared / # containers see what the kubelet mounts for them

# Network: the cable is plugged in from outside.
hostname "$name"
ip link set lo up
for _ in $(seq 200); do
	[ -e /proc/sys/net/ipv4/conf/eth0 ] && break
	sleep 0.05
done
ip address add "$ADDRESS/$PREFIX_LENGTH" dev eth0
ip link set eth0 up
for route in $ROUTES; do
	ip route add "${route%,*}" via "${route#*,}"
done
echo 1 >/proc/sys/net/ipv4/ip_forward

# NetworkPolicies: the first packet of each connection from or to a pod waits in a
# queue for the agent's verdict. The agent cannot make this rule itself, as the kernel
# lacks the nftables expression it uses. Probes come from the node and never pass here.
iptables -A FORWARD -m conntrack --ctstate NEW -j NFQUEUE --queue-num 100

keep() { # keep LOG COMMAND...: run a program, and again whenever it ends
	local log=$LOGS/$name-$1.log
	shift
	while :; do
		"$@" >>"$log" 2>&1 || true
		echo "== $(date +%FT%T) ended: $1" >>"$log"
		sleep 1
	done
}

keep containerd containerd --config "$node/containerd.toml" &
for _ in $(seq 200); do
	[ -S /run/containerd/containerd.sock ] && break
	sleep 0.05
done
keep kube-proxy "$PROGRAMS/kubeall" kube-proxy --config="$node/kube-proxy.yaml" &
keep netpol "$PROGRAMS/netpol" --kubeconfig="$KEYS/netpol.kubeconfig" --node="$name" &
keep kubelet "$PROGRAMS/kubeall" kubelet --config="$node/kubelet.yaml" \
	--kubeconfig="$KEYS/kubelet-$name.kubeconfig" --hostname-override="$name" \
	--node-ip="$ADDRESS" --node-labels="$LABELS" &
wait
