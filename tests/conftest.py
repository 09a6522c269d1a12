"""Settings for all tests: property tests are repeatable and have no deadline."""

from hypothesis import settings

settings.register_profile("repeatable", derandomize=True, deadline=None, database=None)
settings.load_profile("repeatable")
