"""Resources that follow and diagnose what runs in Kubernetes."""
