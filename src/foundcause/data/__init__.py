"""Any table becomes typed columns, and those numbers.

``read_table`` makes a ``Table`` of a file or frame. ``TableEncoder`` makes a ``Matrix`` of a ``Table``.
"""

from foundcause.data.options import Policy, ReadOptions
from foundcause.data.read import TableEncoder, read_table
from foundcause.data.table import Column, Kind, Matrix, Role, Table

__all__ = ["Column", "Kind", "Matrix", "Policy", "ReadOptions", "Role", "Table", "TableEncoder", "read_table"]
