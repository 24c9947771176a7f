"""``python -m foundcause`` is the ``foundcause`` command."""

from foundcause.cli import main

if __name__ == "__main__":
    main()
