"""Protocol jobs: who asked for them, their order, attempts and end, what is shown of them."""
