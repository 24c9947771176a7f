"""The network of the shipped weights, and checkpoints of every architecture. Import the module you need."""
