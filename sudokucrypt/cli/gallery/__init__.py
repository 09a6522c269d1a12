"""The command that shows encrypted pictures: what it finds, the page, and the server."""
