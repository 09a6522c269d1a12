"""Redaction: cover areas of a picture, and seal the covered pixels in it to lift covers later."""
