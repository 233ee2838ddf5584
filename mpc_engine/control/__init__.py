"""What the parties, the web and the clients say to each other: texts, digests, signatures, queues.

This is the only part of the engine the web zone may import; it holds no secret of a person.
"""
