#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Follows every link of a site on the disk: its pages, files and anchors exist.

  tools/site_support/check_links.py FOLDER

Also looked for: names of elements that HTML doesn't have (text in angles that was taken for one), and scripts, styles and
pictures from elsewhere, which a site without a network lacks. Links to other sites are counted, not followed.

Exit status 0: clean. 1: each thing found is listed by its page.
"""
import argparse
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

ELEMENTS = set("""a abbr address article aside b base blockquote body br button canvas caption center code col colgroup dd del details
dialog div dl dt em figure font footer form frame h1 h2 h3 h4 h5 h6 head header hr html i iframe img input kbd label legend li
link main map area mark meta nav noscript object ol option p param pre s script section select small span strong style sub
summary sup svg path g circle rect line text title table tbody td textarea tfoot th thead tr tt u ul var video""".split())
FETCHED = {("script", "src"), ("img", "src"), ("iframe", "src"), ("link", "href"), ("source", "src")}


class Page(HTMLParser):
    """Links, anchors and elements of a page."""

    def __init__(self, text):
        super().__init__()
        self.links, self.anchors, self.strange = [], set(), set()
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        if tag not in ELEMENTS:
            self.strange.add(tag)
        for name, value in attrs:
            if value is None:
                continue
            if name == "id" or (name == "name" and tag == "a"):
                self.anchors.add(value)
            elif name in ("href", "src"):
                self.links.append((tag, name, value.strip()))


def check(folder):
    """(things found, number of pages, of links followed, of links to other sites)"""
    folder = folder.resolve()
    pages = {file: Page(file.read_text(encoding="utf-8", errors="replace")) for file in sorted(folder.rglob("*.html"))}
    found, followed, elsewhere = [], 0, 0
    for file, page in pages.items():
        name = file.relative_to(folder)
        found += [f"{name}: <{tag}> is no element of HTML" for tag in sorted(page.strange)]
        for tag, attribute, link in page.links:
            parts = urlsplit(link)
            if parts.scheme in ("data", "javascript"):
                continue
            if parts.scheme or parts.netloc:
                elsewhere += 1
                is_fetched = (tag, attribute) in FETCHED and parts.scheme != "mailto"
                if is_fetched:
                    found.append(f"{name}: fetches {link}")
                continue
            followed += 1
            path = unquote(parts.path)
            target = file
            if path:
                target = (folder / path.lstrip("/") if path.startswith("/") else file.parent / path).resolve()
            if target.is_dir():
                target /= "index.html"
            if not target.is_relative_to(folder):
                found.append(f"{name}: {link} leaves the site")
            elif not target.is_file():
                found.append(f"{name}: {link} does not exist")
            elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].anchors:
                found.append(f"{name}: {link} has no such anchor")
    return list(dict.fromkeys(found)), len(pages), followed, elsewhere


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    found, pages, followed, elsewhere = check(folder)
    if not pages:
        sys.exit(f"check_links.py: no pages below {folder}")
    for line in found:
        print(line)
    print(f"check_links.py: {pages} pages, {followed} links followed, {elsewhere} lead elsewhere: "
          + (f"{len(found)} things found" if found else "clean"))
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
