"""A double of Google Cloud for the tests: one cloud, kept in a file, with two faces.

`plugin` answers the Pulumi engine in the place of the GCP provider, `rest` answers Google's REST APIs in the
place of googleapis.com; both work on the same `cloud.Cloud`. How the two behave is written down from what the
real ones were seen to do; it proves nothing about a live account.
"""
