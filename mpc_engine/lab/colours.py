"""What the colours of lines look like on white paper."""

from __future__ import annotations

from mpc_engine.control.files.lab_report import Colour

HEX = {
    Colour.BLUE: "#1f77b4",
    Colour.ORANGE: "#d9730d",
    Colour.GREEN: "#2a8a2a",
    Colour.GREY: "#707070",
    Colour.BLACK: "#111111",
    Colour.RED: "#c62828",
    Colour.PURPLE: "#7b3fa0",
    Colour.OCHRE: "#b8860b",
    Colour.TURQUOISE: "#0e8a8a",
    Colour.BROWN: "#8c564b",
}
