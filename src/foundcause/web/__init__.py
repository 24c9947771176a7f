"""``foundcause serve``: one page on which a table is dropped and its causal graph explored, and the server behind it.

Read ``app.py`` first. ``settings`` holds the limits, ``security`` what every request must pass, ``visits`` whose table
is whose, ``jobs`` the queue and its processes, ``worker`` what happens inside such a process, ``routes`` the API.
"""
