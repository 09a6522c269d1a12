"""``sudokucrypt open``: serve the page together with the files of a local folder."""
