"""Prints the documentation page of the statistics: ``python -m foundcause.features > docs/statistics.md``."""

from foundcause.features.document import document

if __name__ == "__main__":
    print(document(), end="")
