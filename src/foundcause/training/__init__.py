"""From a mixture of synthetic tasks to a calibrated checkpoint."""
