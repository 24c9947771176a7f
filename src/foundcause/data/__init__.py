"""Any table to numbers: files, data frames and arrays become ``Table(values, observed, names, columns, warnings)``."""

from foundcause.data.columns import ColumnInfo
from foundcause.data.read import Table, read_table

__all__ = ["ColumnInfo", "Table", "read_table"]
