"""Protocol jobs: order, attempts, messages of the parties."""
