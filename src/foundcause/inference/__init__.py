"""From the logits of several passes to calibrated probabilities and an acyclic graph."""
