"""The Pulumi provider of this project: resources that no published provider has."""
