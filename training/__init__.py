"""The training program: servers, coordinator and tasks; imports neither Pulumi nor any other folder of this project."""
