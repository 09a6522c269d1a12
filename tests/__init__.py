"""Tests of sudokucrypt; a package, so that tests can import `tests.kit.reference`."""
