"""WebP, still and animated."""
