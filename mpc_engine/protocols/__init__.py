"""The protocols between modeler and regulator: closing, certification, verification."""
