"""Every error code that the source raises, reports or refuses with, and where: read, never run.

A code is told from other names in capitals by where it stands: as ``code``, whether by keyword, by
position, as a default, in a dictionary or on the left of an assignment; as a ``default_code``; as a
member of an enumeration of refusals; in a pair with its translated sentence; in JavaScript as what
an error or a fault is made with.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from tests.architecture.source_tree import DEMO, ENGINE, ROOT, SITE, name_of, python_files, tree_of

CODE = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*")
SCRIPTS = ROOT / "static" / "js"
IN_SCRIPTS = re.compile(
    r"(?:new (?:UsageError|Problem)\(|\bcode(?:: | = )|\bfaults\.add\(|\btell\(|\breturn )"
    r'"([A-Z][A-Z0-9_]+)"'
)
NOT_RAISING = {"testing", "migrations", "error_words"}
Function = ast.FunctionDef | ast.AsyncFunctionDef
Constants = dict[str, str]


def raised_codes() -> dict[str, list[str]]:
    """Return for every code the places, ``file:line``, where it is put to use."""
    found: dict[str, list[str]] = defaultdict(list)
    files = [
        path
        for path in python_files(ENGINE, SITE, DEMO)
        if not NOT_RAISING & {path.stem, *path.relative_to(ROOT).parts}
    ]
    takers = _takers([tree_of(path) for path in files])
    constants = {path: _constants(tree_of(path)) for path in files}
    for path in files:
        tree = tree_of(path)
        known = constants[path] | _imported(tree, constants)
        for node in ast.walk(tree):
            for value in _code_values(node, takers):
                for code in _texts(value, known):
                    found[code].append(f"{name_of(path)}:{value.lineno}")
    for path in sorted(SCRIPTS.rglob("*.js")):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            for code in IN_SCRIPTS.findall(line):
                found[code].append(f"{name_of(path)}:{number}")
    return dict(found)


def _takers(trees: list[ast.Module]) -> dict[str, int]:
    """Return by their names at which place functions and classes take a ``code``."""
    places: dict[str, int] = {}
    bases: dict[str, list[str]] = {}
    for node in (node for tree in trees for node in ast.walk(tree)):
        if isinstance(node, ast.ClassDef):
            bases[node.name] = [base.id for base in node.bases if isinstance(base, ast.Name)]
            place = _place_in_class(node)
        elif isinstance(node, Function) and node.name != "__init__":
            place = _place(node)
        else:
            continue
        if place is not None:
            places[node.name] = place
    for name in bases:
        _inherit(name, bases, places)
    return {name: place for name, place in places.items() if place >= 0}


def _inherit(name: str, bases: dict[str, list[str]], places: dict[str, int]) -> int:
    """Return where a class takes a code, from its bases if it does not say; -1 if nowhere."""
    if name not in places:
        above = [_inherit(base, bases, places) for base in bases.get(name, [])]
        places[name] = max(above, default=-1)
    return places[name]


def _place_in_class(node: ast.ClassDef) -> int | None:
    for inner in node.body:
        if isinstance(inner, Function) and inner.name == "__init__":
            place = _place(inner)
            return -1 if place is None else place
    fields = [
        inner.target.id
        for inner in node.body
        if isinstance(inner, ast.AnnAssign) and isinstance(inner.target, ast.Name)
    ]
    return fields.index("code") if "code" in fields else None


def _place(function: Function) -> int | None:
    names = [argument.arg for argument in (*function.args.posonlyargs, *function.args.args)]
    own = [name for name in names if name not in {"self", "cls"}]
    return own.index("code") if "code" in own else None


def _constants(tree: ast.Module) -> Constants:
    """Return the texts that a module gives a name."""
    return {
        target.id: node.value.value
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)
        for target in node.targets
        if isinstance(target, ast.Name) and isinstance(node.value.value, str)
    }


def _imported(tree: ast.Module, constants: dict[Path, Constants]) -> Constants:
    """Return the texts that a module knows by names of others."""
    found: Constants = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            home = constants.get(ROOT / (node.module.replace(".", "/") + ".py"), {})
            for alias in node.names:
                if alias.name in home:
                    found[alias.asname or alias.name] = home[alias.name]
    return found


def _code_values(node: ast.AST, takers: dict[str, int]) -> Iterator[ast.expr]:
    """Yield what a piece of syntax gives as a code."""
    if isinstance(node, ast.Call):
        yield from (word.value for word in node.keywords if word.arg == "code")
        name = _called(node)
        place = 0 if name == "__init__" else takers.get(name, len(node.args))
        yield from node.args[place : place + 1]
    elif isinstance(node, Function):
        given = node.args.defaults
        last = node.args.args[len(node.args.args) - len(given) :]
        for argument, value in (
            *zip(last, given, strict=True),
            *zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True),
        ):
            if argument.arg == "code" and value is not None:
                yield value
    elif isinstance(node, ast.Dict):
        yield from _in_dictionary(node)
    elif isinstance(node, ast.Assign):
        for target in node.targets:
            yield from _assigned(target, node.value)
    elif isinstance(node, ast.List):
        yield from (pair.elts[0] for pair in node.elts if _is_told(pair))  # type: ignore[attr-defined]
    elif isinstance(node, ast.ClassDef) and node.name == "IntakeRefusal":
        yield from (inner.value for inner in node.body if isinstance(inner, ast.Assign))


def _called(call: ast.Call) -> str:
    """Return the name of what is called, of ``super().__init__`` that too."""
    if isinstance(call.func, ast.Attribute):
        return call.func.attr
    return call.func.id if isinstance(call.func, ast.Name) else ""


def _in_dictionary(node: ast.Dict) -> Iterator[ast.expr]:
    for key, value in zip(node.keys, node.values, strict=True):
        if isinstance(key, ast.Constant) and key.value == "code":
            yield value
        elif _is_told(value):
            yield value.elts[0]  # type: ignore[attr-defined]


def _is_told(value: ast.expr) -> bool:
    """Return whether an expression is a code with its translated sentence."""
    if not isinstance(value, ast.Tuple) or len(value.elts) != 2:
        return False
    sentence = value.elts[1]
    return isinstance(sentence, ast.Call) and _called(sentence) == "_"


def _assigned(target: ast.expr, value: ast.expr) -> Iterator[ast.expr]:
    if isinstance(target, ast.Name) and target.id in {"code", "default_code"}:
        yield value
    elif isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        for one, its in zip(target.elts, value.elts, strict=True):
            yield from _assigned(one, its)


def _texts(value: ast.expr, known: Constants) -> Iterator[str]:
    """Yield the codes that an expression can be; ``*`` stands for what a format fills in."""
    if isinstance(value, ast.IfExp):
        yield from _texts(value.body, known)
        yield from _texts(value.orelse, known)
    elif isinstance(value, ast.Constant) and isinstance(value.value, str):
        if CODE.fullmatch(value.value):
            yield value.value
    elif isinstance(value, ast.JoinedStr):
        parts = [part.value if isinstance(part, ast.Constant) else "*" for part in value.values]
        pattern = "".join(map(str, parts))
        if CODE.fullmatch(pattern.replace("*", "X")):
            yield pattern
    elif isinstance(value, ast.Name) and CODE.fullmatch(known.get(value.id, "")):
        yield known[value.id]
