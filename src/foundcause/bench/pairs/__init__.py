"""Direction of a single pair of columns; each method in its own file."""
