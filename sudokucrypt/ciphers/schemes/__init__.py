"""One file for each scheme with a tag.

Those whose name begins with ``insecure`` are from the literature and NOT secure: for study and
comparison only. The recipes refuse them unless they are asked for by name.
"""
