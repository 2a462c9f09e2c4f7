# SPDX-License-Identifier: MIT
"""What MkDocs does not do by itself for the documentation site (mkdocs.yml, tools/site).

The documents are written for readers of the repository: they link to files outside docs/, and their Markdown is that of
CommonMark. Here those files become part of the site, under their names from the root, and the text is made to mean the
same to Python-Markdown. Pages that exist only on the site are made in build/site-pages.
"""
import gzip
import json
import os
import posixpath
import re
import shutil
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import python_reference  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
PAGES = ROOT / "build" / "site-pages"
FRONT = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")
LINK = re.compile(r"(?<=\]\()([^)\s]+)(?=\))")
FENCE = re.compile(r" {0,3}(```+|~~~+)")
ITEM = re.compile(r" {0,3}(?:[-*+]|\d+[.)]) ")
CODE_SPAN = re.compile(r"(`+)(?!`)(.+?)(?<!`)\1(?!`)", re.DOTALL)


# --- Markdown ---------------------------------------------------------------------------------------------------------

def split_code(text):
    """Pieces (is code, text) of a document: blocks of code, and what is between them."""
    pieces, lines, code, fence, blank = [], [], False, None, True

    def turn(to_code):
        nonlocal lines, code
        if lines and code != to_code:
            pieces.append((code, "".join(lines)))
            lines = []
        code = to_code

    for line in text.splitlines(keepends=True):
        if fence:
            lines.append(line)
            if line.strip().startswith(fence) and not line.strip().strip(fence[0]):
                fence, blank = None, True
                turn(False)
            continue
        match = FENCE.match(line)
        if match:
            turn(True)
            fence = match[1]
        else:
            turn(bool(line.startswith("    ") and line.strip() and (blank or code)))
        lines.append(line)
        blank = not line.strip()
    if lines:
        pieces.append((code, "".join(lines)))
    return pieces


def outside_code_spans(change, text):
    """`text` with `change` made to everything that is no code between backticks."""
    spans = []

    def hide(match):
        spans.append(match[0])
        return f"\ue000{len(spans) - 1}\ue001"

    return re.sub("\ue000(\\d+)\ue001", lambda match: spans[int(match[1])], change(CODE_SPAN.sub(hide, text)))


def separate_lists(text):
    """A list may follow a paragraph without a blank line, in CommonMark; Python-Markdown wants one."""
    result, in_list, blank = [], False, True
    for line in text.splitlines(keepends=True):
        item = ITEM.match(line)
        begins = item and not line.startswith("    ")
        if begins and not blank and not in_list and (not item[0].strip()[0].isdigit() or item[0].split()[0] in ("1.", "1)")):
            result.append("\n")
        in_list = bool(begins) or (in_list and bool(line.strip()) and (not blank or line.startswith(" ")))
        blank = not line.strip()
        result.append(line)
    return "".join(result)


def show_angles(text):
    """<S^2> and <c|H|c> are no elements of HTML; the documents have none. Addresses in angles stay."""
    return re.sub(r"<(?!https?:|mailto:)", "&lt;", text)


def show_escaped(text):
    """Backslashes before punctuation that Python-Markdown does not know as escapes."""
    return re.sub(r"""\\(["$%&',/:;=?@^~])""", r"\1", text)


def unused_stars(text):
    """Runs of stars, as (begin, end), that neither begin nor end an emphasis, by CommonMark's rule of what is beside them."""
    openers, unused = [], []
    for run in re.finditer(r"(?<![*\\])\*+", text):
        before, after = text[:run.start()][-1:] or " ", text[run.end():][:1] or " "
        beside_word = [character.isalnum() for character in (before, after)]
        opens = not after.isspace() and (beside_word[1] or not beside_word[0])
        closes = not before.isspace() and (beside_word[0] or not beside_word[1])
        partner = next((k for k in reversed(range(len(openers))) if openers[k][1] == len(run[0])), None)
        if closes and partner is not None:
            unused += [span for span, _ in openers[partner + 1:]]
            del openers[partner:]
        elif opens:
            openers.append((run.span(), len(run[0])))
        else:
            unused.append(run.span())
    return sorted(unused + [span for span, _ in openers])


def show_stars(text):
    """Stars that are meant as such, as in pi*."""
    parts = re.split(r"(\n\s*\n|^\s*(?:[-+*]|\d+\.) |(?<!\\)\|(?=[^\n]*\|))", text, flags=re.MULTILINE)
    for k in range(0, len(parts), 2):  # an emphasis stays within its paragraph, item and cell
        for begin, end in reversed(unused_stars(parts[k])):
            parts[k] = parts[k][:begin] + "\\*" * (end - begin) + parts[k][end:]
    return "".join(parts)


def plain_bars(text):
    r"""In a table a bar within code is written \| and means |; Python-Markdown sees that code by itself."""
    rows = (CODE_SPAN.sub(lambda match: match[0].replace("\\|", "|"), line) if line.startswith("|") else line
            for line in text.splitlines(keepends=True))
    return "".join(rows)


def to_python_markdown(text):
    """A document of CommonMark with tables, as Python-Markdown must be told it."""
    pieces = []
    for is_code, piece in split_code(text):
        if not is_code:
            piece = re.sub(r"<!--.*?-->\n?", "\n", piece, flags=re.DOTALL)
            piece = plain_bars(separate_lists(piece))
            for change in (show_angles, show_escaped, show_stars):
                piece = outside_code_spans(change, piece)
        pieces.append(piece)
    return "".join(pieces)


# --- Links ------------------------------------------------------------------------------------------------------------

def place_on_site(name):
    """Where a file of the repository is on the site, by its path from docs/: that path, or that from the root."""
    if name.startswith("docs/"):
        return name[len("docs/"):]
    if name.startswith("inputs/") and name.endswith(".inp"):
        return "inputs/index.md#" + anchor(name)
    return "LICENSE.txt" if name == "LICENSE" else name


def anchor(name):
    """The heading of an example on the page of all of them."""
    return re.sub(r"[^a-z0-9_-]", "", Path(name).name.lower())


def home_of(page):
    """The folder in the repository whose file is this page of the site, from the root."""
    if page in FRONT or not (ROOT / "docs" / page).exists():
        return posixpath.dirname(page)
    return posixpath.dirname(posixpath.join("docs", page))


def rewrite_links(text, page, home):
    """Links between files of the repository as links between pages of the site. `page` is this one's path there, `home`
    its folder in the repository."""

    def rewrite(match):
        target, hash_sign, fragment = match[1].partition("#")
        if not target or re.match(r"[a-z]+:", target):
            return match[1]
        name = posixpath.normpath(posixpath.join(home, target))
        place = place_on_site(name)
        if hash_sign:
            place = place.partition("#")[0] + "#" + fragment
        path, hash_sign, fragment = place.partition("#")
        return posixpath.relpath(path, posixpath.dirname(page) or ".") + hash_sign + fragment

    return "".join(piece if is_code else outside_code_spans(lambda part: LINK.sub(rewrite, part), piece)
                   for is_code, piece in split_code(text))


def linked_files(text, home):
    """Files outside docs/ that a document links to, from the root."""
    names = set()
    for is_code, piece in split_code(text):
        for match in () if is_code else LINK.finditer(piece):
            target = match[1].partition("#")[0]
            if target and not re.match(r"[a-z]+:", target):
                name = posixpath.normpath(posixpath.join(home, target))
                if not name.startswith("docs/") and (ROOT / name).is_file():
                    names.add(name)
    return names


# --- Pages that are made ----------------------------------------------------------------------------------------------

def examples_page():
    """Every input of inputs/ with what it says of itself, and the files that they read."""
    folder = ROOT / "inputs"
    parts = ["# Example inputs\n",
             "Each runs as it is: `cisolve inputs/h2o.inp`. An installed cisolve has them in `share/cisolve/inputs`.\n"]
    others = []
    for file in sorted(folder.iterdir()):
        if file.suffix != ".inp":
            others.append(file.name)
            continue
        parts.append(f"## {file.name}\n\n[The file]({file.name})\n\n```toml\n{file.read_text(encoding='utf-8').rstrip()}\n```\n")
    parts.append("## Files that they read\n\n" + "\n".join(f"- [{name}]({name})" for name in others) + "\n")
    return "\n".join(parts)


def link_api(text, tags):
    """Names cisolve::X of a document as links to their place in the library's reference, as Doxygen's `tags` say."""
    places = {}
    for compound in ElementTree.parse(tags).getroot().iter("compound"):
        name, file = compound.findtext("name"), compound.findtext("filename")
        if compound.get("kind") in ("class", "struct", "concept"):
            places.setdefault(name, file)
        elif compound.get("kind") == "namespace":
            for member in compound.iter("member"):
                place = f"{member.findtext('anchorfile')}#{member.findtext('anchor')}"
                places.setdefault(f"{name}::{member.findtext('name')}", place)

    def link(match):
        place = places.get(match[0])
        if place is None:
            return match[0]
        file, hash_sign, fragment = place.partition("#")
        file = file if file.endswith(".html") else file + ".html"
        return f"[`{match[0].removeprefix('cisolve::')}`](api/{file}{hash_sign}{fragment})"

    text = re.sub(r"\bcisolve::\w+(?:::\w+)*", link, text)
    return re.sub(r"\bdocs/([\w-]+\.md)", r"[\1](\1)", text)  # words for who reads Doxygen's page, and links here


# --- Events of MkDocs -------------------------------------------------------------------------------------------------

def reference_folder():
    """What tools/api-reference wrote, for tools/site, or None."""
    folder = os.environ.get("CISOLVE_SITE_API")
    return Path(folder) if folder else None


def on_config(config):
    """Completes the navigation by what is there."""
    docs = Path(config["docs_dir"])
    nav = config["nav"]
    named = set(re.findall(r"[\w./-]+\.md", json.dumps(nav)))
    pages = sorted(str(file.relative_to(docs)) for file in docs.rglob("*.md"))
    missing = [page for page in pages if page not in named]
    python = [page for page in missing if page.startswith("python")]
    shutil.rmtree(PAGES, ignore_errors=True)
    (PAGES / "inputs").mkdir(parents=True)
    (PAGES / "inputs" / "index.md").write_text(examples_page(), encoding="utf-8")
    reference = python_reference.write(ROOT / "python" / "cisolve")
    if reference:
        (PAGES / "python-reference.md").write_text(reference, encoding="utf-8")
        python.append({"Reference of the Python module": "python-reference.md"})
    if python:
        nav.insert(-2, {"Python": python})
    more = [page for page in missing if page not in python]
    if more:
        nav.append({"More": more})
    if reference_folder():
        next(section["Development"] for section in nav if "Development" in section).insert(
            -1, {"Reference of the library": "api/index.html"})
    return config


def on_files(files, config):
    """Adds the pages and files that are not in docs/."""
    from mkdocs.structure.files import File  # not there when this module is tested by itself

    def add(name, source):
        if name not in files.src_paths:
            files.append(File(name, str(source), config["site_dir"], config["use_directory_urls"]))

    for file in [file for file in files if file.src_path in ("Doxyfile", "man/cisolve.1")]:
        files.remove(file)
    (PAGES / "LICENSE.txt").write_bytes((ROOT / "LICENSE").read_bytes())
    (PAGES / "assets").mkdir(exist_ok=True)
    shutil.copy(Path(__file__).parent / "site.css", PAGES / "assets")
    shutil.copy(Path(__file__).parent / "site.js", PAGES / "assets")
    for file in sorted(PAGES.rglob("*")):
        if file.is_file():
            add(str(file.relative_to(PAGES)), PAGES)
    for name in FRONT:
        add(name, ROOT)
    for file in sorted((ROOT / "inputs").iterdir()):
        add(f"inputs/{file.name}", ROOT)
    waiting = [(file.src_path, Path(file.abs_src_path)) for file in files if file.src_path.endswith(".md")]
    while waiting:
        page, path = waiting.pop()
        for name in sorted(linked_files(path.read_text(encoding="utf-8"), home_of(page))):
            if name not in files.src_paths and name != "LICENSE":
                add(name, ROOT)
                if name.endswith(".md"):
                    waiting.append((name, ROOT / name))
    folder = reference_folder()
    if folder:
        # Below a folder api/ of its own, whose name its files have on the site.
        for file in sorted((folder / "api").rglob("*")):
            if file.is_file():
                add(str(file.relative_to(folder)), folder)
    return files


def on_page_markdown(markdown, page, config, files):
    """Tells Python-Markdown what the document says."""
    path = page.file.src_path
    if path == "api.md" and reference_folder():
        markdown = link_api(markdown, reference_folder() / "cisolve.tag")
        return to_python_markdown(markdown)
    return to_python_markdown(rewrite_links(markdown, path, home_of(path)))


def on_page_content(html, page, config, files):
    """Wide tables scroll by themselves, so that a page is no wider than a phone."""
    return html.replace("<table>", '<div class="wide"><table>').replace("</table>", "</table></div>")


def mend_reference(folder):
    """Doxygen 1.9.4 offers a list of nested classes where all of them are private, so that there is none."""
    for file in folder.glob("*.html"):
        text = file.read_text(encoding="utf-8")
        if 'href="#nested-classes"' in text and 'name="nested-classes"' not in text:
            file.write_text(re.sub(r'<a href="#nested-classes">[^<]*</a>( &#124;)?\s*', "", text), encoding="utf-8")


def on_post_build(config):
    """The index of the search also as a script, for pages that are opened from a disk, which may not fetch."""
    mend_reference(Path(config["site_dir"]) / "api")
    folder = Path(config["site_dir"]) / "search"
    index = (folder / "search_index.json").read_text(encoding="utf-8")
    (folder / "search_index.js").write_text(f"var __index = {index};\n", encoding="utf-8")
    sitemap = Path(config["site_dir"]) / "sitemap.xml.gz"
    if sitemap.exists() and not config["site_url"]:
        with gzip.open(sitemap) as file:
            empty = b"<loc>None" in file.read()
        if empty:  # without an address there is nothing to tell a search engine
            sitemap.unlink()
            sitemap.with_suffix("").unlink(missing_ok=True)
