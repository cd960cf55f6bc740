"""The training program: servers, coordinator and tasks. Imports neither Pulumi nor other folders of ours."""
