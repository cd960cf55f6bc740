"""Tasks to train: a model with its data, loss and metric."""
