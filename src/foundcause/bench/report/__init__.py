"""From committed results to tables and pictures."""
