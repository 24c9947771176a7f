"""The exceptions of foundcause: each message names the column, option or file, and the remedy."""


class FoundcauseError(Exception):
    """Base of everything foundcause raises on purpose; the command line prints its message without a traceback."""


class InputError(FoundcauseError, ValueError):
    """Values, masks or shapes that cannot be worked with."""


class TableError(InputError):
    """A table that cannot be read or holds too little to learn from."""


class KnowledgeError(InputError):
    """Background knowledge that contradicts itself or names unknown columns."""

    statements: tuple[str, ...] = ()
    """The statements that contradict each other, if that is the reason."""


class ConfigError(InputError):
    """An unknown preset, mixture or option, or values that do not go together."""


class CheckpointError(FoundcauseError):
    """A checkpoint that is truncated, foreign, of another version, or does not fit the network."""


class OutputError(FoundcauseError, OSError):
    """A place that cannot be written to."""


class TrainingError(FoundcauseError, RuntimeError):
    """Training that cannot go on: losses that stay non-finite, a stream that died."""


class DataUnavailableError(FoundcauseError):
    """A benchmark data set that is not on this machine; the message says how to get it."""


class ResourceError(FoundcauseError):
    """More memory or time than this machine has, said before the work starts."""
