"""One module per group of shell commands; each has ``register(app)`` and imports heavy libraries only when run."""
