"""The product's local resources with light processes in place of TensorFlow's, so that a test takes seconds.

Engine, provider, fork server and processes are real; only what a server or a coordinator does is not.
"""
