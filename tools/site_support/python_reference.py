#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The reference of a Python package as a page of Markdown, read from its sources and stubs without importing it.

  tools/site_support/python_reference.py [FOLDER]     FOLDER: the package; the default is python/cisolve

A stub (.pyi) goes before a source of the same name. Names with a leading underscore are left out, but for __init__ and the
operations of Python that a class defines with words of its own; a module with __all__ shows these names alone. Words come
from docstrings. What a package passes on from its private modules (`from ._core import Space`) is shown as its own.
"""
import ast
import inspect
import sys
from pathlib import Path


def modules(folder):
    """Name -> syntax tree of every module of a package, private ones too; the package itself is ""."""
    found = {}
    for suffix in (".pyi", ".py"):
        for file in sorted(folder.rglob("*" + suffix)):
            parts = list(file.relative_to(folder).with_suffix("").parts)
            if parts[-1] == "__init__":
                parts.pop()
            if "tests" not in parts and parts[-1:] != ["__main__"]:
                found.setdefault(".".join(parts), ast.parse(file.read_text(encoding="utf-8"), str(file)))
    return found


def exported(tree):
    """The names of a literal __all__, or None."""
    for node in tree.body:
        targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        if any(isinstance(target, ast.Name) and target.id == "__all__" for target in targets):
            try:
                return set(ast.literal_eval(node.value))
            except ValueError:
                return None
    return None


def decorators(node):
    return {ast.unparse(decorator).split(".")[-1] for decorator in node.decorator_list}


def heading(level, text, anchor):
    return f"{'#' * level} {text} {{ #{anchor} }}\n"


def words(node):
    text = ast.get_docstring(node)
    return inspect.cleandoc(text) + "\n" if text else ""


def signature(node, name):
    """`def` or `class` as one reads it: no defaults that are long, no self."""
    arguments = node.args
    positional = arguments.posonlyargs + arguments.args
    if positional and positional[0].arg in ("self", "cls"):
        (arguments.posonlyargs or arguments.args).pop(0)
    text = f"{name}({ast.unparse(arguments).removeprefix('/, ')})"
    if node.returns is not None and name != "__init__":
        text += f" -> {ast.unparse(node.returns)}"
    if len(text) > 100:
        text = text.replace(", ", ",\n    ").replace(f"{name}(", f"{name}(\n    ", 1)
    return text


def is_shown(name, node, of_class):
    if not name.startswith("_"):
        return True
    return of_class and name.startswith("__") and (name == "__init__" or bool(ast.get_docstring(node)))


def describe_functions(nodes, level, prefix, of_class):
    """Functions of one name, of which there are several where they are overloaded, together."""
    parts, by_name = [], {}
    for node in nodes:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and is_shown(node.name, node, of_class):
            kinds = decorators(node)
            if not kinds & {"setter", "deleter"}:
                by_name.setdefault(node.name, []).append((node, kinds))
    for name, versions in by_name.items():
        if len(versions) > 1 and any("overload" in kinds for _, kinds in versions):
            versions = [version for version in versions if "overload" in version[1]] or versions
        parts.append(heading(level, f"`{name}`", f"{prefix}{name}"))
        node, kinds = versions[0]
        if "property" in kinds or "cached_property" in kinds:
            returns = f": {ast.unparse(node.returns)}" if node.returns is not None else ""
            parts.append(f"```python\n{name}{returns}\n```\n")
        else:
            lines = [("@staticmethod\n" if "staticmethod" in kinds else "@classmethod\n" if "classmethod" in kinds else "")
                     + signature(node, name) for node, kinds in versions]
            parts.append("```python\n" + "\n".join(lines) + "\n```\n")
        said = []
        for node, _ in versions:
            if words(node) not in said + [""]:
                said.append(words(node))
        parts += said
    return parts


def describe_class(node, level, prefix):
    bases = [ast.unparse(base) for base in node.bases if ast.unparse(base) != "object"]
    parts = [heading(level, f"`{node.name}`", prefix + node.name),
             f"```python\nclass {node.name}{'(' + ', '.join(bases) + ')' if bases else ''}\n```\n", words(node)]
    fields = [item for item in node.body if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name)
              and not item.target.id.startswith("_")]
    parts += [f"- `{ast.unparse(item)}`" for item in fields] + [""] * bool(fields)
    return parts + describe_functions(node.body, level + 1, f"{prefix}{node.name}.", True)


def definitions(tree):
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    return [node for node in tree.body if isinstance(node, kinds)]


def passed_on(name, tree, trees):
    """What a module takes from private modules of its package under names without underscore, and these names."""
    found = []
    for node in (node for node in tree.body if isinstance(node, ast.ImportFrom)):
        source = node.module or ""
        if node.level:
            # Of a module of the package the first dot is the package; of the package itself, too.
            source = source if node.level == 1 and "." not in name else ".".join(filter(None, [name, source]))
        source = source.removeprefix("cisolve.")
        if source not in trees or not source.split(".")[-1].startswith("_"):
            continue
        for alias in node.names:
            for item in definitions(trees[source]):
                if alias.name in ("*", item.name) and not (alias.asname or item.name).startswith("_"):
                    found.append(item)
    return found


def describe(name, tree, trees, package):
    shown = exported(tree)
    items = [item for item in passed_on(name, tree, trees) + definitions(tree)
             if (item.name in shown if shown is not None else not item.name.startswith("_"))]
    if not items and name:
        return []
    module = f"{package}.{name}" if name else package
    prefix = module + "."
    parts = [heading(2, f"`{module}`", module), words(tree)]
    parts += describe_functions([item for item in items if not isinstance(item, ast.ClassDef)], 3, prefix, False)
    for item in items:
        if isinstance(item, ast.ClassDef):
            parts += describe_class(item, 3, prefix)
    return parts


def write(folder):
    """The page, or "" where there is no package."""
    trees = modules(Path(folder)) if Path(folder).is_dir() else {}
    if not trees:
        return ""
    parts = ["# Reference of the Python module\n", "Made from the module's sources and stubs.\n"]
    for name in sorted(trees):
        if not any(part.startswith("_") for part in name.split(".")):
            parts += describe(name, trees[name], trees, Path(folder).name)
    return "\n".join(part for part in parts if part != "") + "\n"


if __name__ == "__main__":
    place = sys.argv[1] if len(sys.argv) > 1 else Path(__file__).resolve().parents[2] / "python" / "cisolve"
    page = write(place)
    if not page:
        sys.exit(f"python_reference.py: {place} holds no Python package")
    print(page, end="")
