// pause keeps a pod's namespaces alive and collects the orphans of its containers.
package main

import (
	"os"
	"os/signal"
	"syscall"
)

func main() {
	leave := make(chan os.Signal, 1)
	signal.Notify(leave, syscall.SIGINT, syscall.SIGTERM)
	child := make(chan os.Signal, 16)
	signal.Notify(child, syscall.SIGCHLD)
	for {
		select {
		case <-leave:
			return
		case <-child:
			reap()
		}
	}
}

func reap() {
	for {
		pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil)
		if err != syscall.EINTR && (err != nil || pid <= 0) {
			return
		}
	}
}
