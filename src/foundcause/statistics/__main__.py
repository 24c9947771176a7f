"""Prints the documentation page of the statistics: ``python -m foundcause.statistics > docs/statistics.md``."""

from foundcause.statistics.document import document

if __name__ == "__main__":
    print(document(), end="")
