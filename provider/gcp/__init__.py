"""Resources that talk to Google's own APIs: image builds, the inventory."""
