"""``sudokucrypt open``: the page with a folder of this computer behind it."""
