"""The system of the paper: its network, protocol, loss and weights. docs/paper.md maps the paper to this code."""
