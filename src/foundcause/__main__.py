"""``python -m foundcause`` is the ``foundcause`` command."""

from foundcause.cli.app import main

if __name__ == "__main__":
    main()
