"""``foundcause serve``: the web page and the server behind it.

Read ``application.py`` first. ``limits`` holds the settings, ``security`` the checks of every request, ``sessions`` the
tables of each visitor, ``uploads`` the steps of a request, ``jobs`` the queue, ``job_process`` what runs in a process
of its own, and ``routes`` the API.
"""
