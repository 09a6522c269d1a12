"""The kernel that undoes the filters of PNG, and its fallback."""
