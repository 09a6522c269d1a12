"""The commands that protect, restore and describe pictures."""
