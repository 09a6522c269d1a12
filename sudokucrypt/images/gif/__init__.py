"""GIF, frame by frame."""
