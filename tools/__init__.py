"""Commands for who develops: benchmarks, mutants, pictures of pages."""
