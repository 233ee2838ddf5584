"""Every word that parties, site and files share, each written once, beneath all other rooms.

A word is a member of a ``StrEnum``; its text is what stands in signed texts, messages and rows.
What follows from a word by itself (which counts a rate takes, which rates a criterion compares)
stands beside it. What people read instead stands in the site (``blindjustice_web.lib.labels``) and
in the sentences of a policy (``control.policies.policy_sentence``).

Elsewhere are the two parties (``mpc_engine.roles``), the codes of refusals (``error_words``) and
words of one module alone.
"""
