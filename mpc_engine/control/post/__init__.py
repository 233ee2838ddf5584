"""What the site and the parties send each other: orders, jobs, messages, and their queues."""
