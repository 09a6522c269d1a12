"""Covers that can be lifted later: areas of a picture, and what they hide, sealed in it."""
