"""Words in figures: Plotly reads tags, and knows few entities."""

from __future__ import annotations

from blindjustice_web.presentation.figures.drawing import hover_texts, tick_label


def test_words_are_escaped_as_plotly_reads_them() -> None:
    """It knows ``&amp;``, ``&lt;`` and ``&gt;``, and prints ``&quot;`` as it stands."""
    assert hover_texts(['The "b" & <i>']) == ['The "b" &amp; &lt;i&gt;']
    assert tick_label('Grandma\'s "own" <model>') == 'Grandma\'s "own"<br>&lt;model&gt;'
