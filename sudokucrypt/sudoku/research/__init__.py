"""What people study in grids and puzzles: unavoidable sets, backdoors and vicinities."""
