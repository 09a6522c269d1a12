"""Solving as people do it: step by step, by techniques, and how hard that is."""
