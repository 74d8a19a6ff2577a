"""Reading and writing machines as .tree files; README.md describes the format.

A tree is a dict: path -> ("file", bytes) | ("link", target) | ("dir", None), paths relative. For
writing only, ("repeat", (count, text)) stands for a file too long to be spelled out.
"""

import base64
import os
import re

END = "END"


def parse_list(text):
    """'0-3,8' -> [0, 1, 2, 3, 8]"""
    numbers = []
    for item in text.split(","):
        first, _, last = item.partition("-")
        numbers.extend(range(int(first), int(last or first) + 1))
    return numbers


def format_list(numbers):
    """[0, 1, 2, 3, 8] -> '0-3,8'"""
    runs = []
    for number in sorted(numbers):
        if runs and runs[-1][1] == number - 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ",".join(str(a) if a == b else f"{a}-{b}" for a, b in runs)


def expand(path):
    """'cpu[0-1]/online' -> 'cpu0/online', 'cpu1/online'"""
    found = re.search(r"\[([0-9,-]+)\]", path)
    if not found:
        return [path]
    return [
        whole
        for number in parse_list(found.group(1))
        for whole in expand(f"{path[:found.start()]}{number}{path[found.end():]}")
    ]


def parse_line(line, lines):
    """One statement -> (path, entry); a heredoc takes its lines from the iterator."""
    path, _, rest = line.partition(" ")
    if path.endswith("/") and not rest:
        return path[:-1], ("dir", None)
    word, _, value = rest.partition(" ")
    if word == "=":
        return path, ("file", f"{value}\n".encode() if value else b"")
    if word == "->":
        return path, ("link", value)
    if word == "base64":
        return path, ("file", base64.b64decode(value, validate=True))
    if word == "repeat":
        count, _, text = value.partition(" ")
        return path, ("file", text.encode() * int(count))
    if rest == f"<<{END}":
        text = []
        for following in lines:
            if following == END:
                return path, ("file", "".join(f"{one}\n" for one in text).encode())
            text.append(following)
    raise ValueError(f"not a statement: {line!r}")


def parse(text):
    tree = {}
    lines = iter(text.split("\n"))
    for line in lines:
        if line and not line.startswith("#"):
            path, entry = parse_line(line, lines)
            tree.update((one, entry) for one in expand(path))
    return tree


def statement(path, entry):
    kind, value = entry
    if kind == "dir":
        return f"{path}/"
    if kind == "link":
        return f"{path} -> {value}"
    if kind == "repeat":
        return f"{path} repeat {value[0]} {value[1]}"
    try:
        text = value.decode("ascii")
    except UnicodeDecodeError:
        text = None
    if text is None or not all(c in "\t\n" or " " <= c <= "~" for c in text):
        return f"{path} base64 {base64.b64encode(value).decode()}"
    if not text:
        return f"{path} ="
    if text.endswith("\n") and "\n" not in text[:-1] and text.strip("\n"):
        return f"{path} = {text[:-1]}"
    if text.endswith("\n") and END not in text.split("\n"):
        return f"{path} <<{END}\n{text}{END}"
    return f"{path} base64 {base64.b64encode(value).decode()}"


def write(tree, comment):
    """The text of a .tree file. Files that are the same for several CPUs share a line."""
    groups = {}
    for path in sorted(tree, key=lambda p: [int(x) if x.isdigit() else x for x in re.split(r"(\d+)", p)]):
        found = re.search(r"/(cpu|policy)(\d+)(/|$)", path)
        template = path if not found else f"{path[:found.start(2)]}[]{path[found.end(2):]}"
        groups.setdefault((template, tree[path]), []).append(int(found.group(2)) if found else 0)
    lines = [f"# {line}" if line else "#" for line in comment.strip().split("\n")]
    for (template, entry), cpus in groups.items():
        many = f"[{format_list(cpus)}]" if len(cpus) > 1 else str(cpus[0])
        lines.append(statement(template.replace("[]", many), entry))
    return "\n".join(lines) + "\n"


def unpack(tree, directory):
    made = set()
    for path, (kind, value) in tree.items():
        if path.startswith("/") or ".." in path.split("/"):
            raise ValueError(f"path leaves the tree: {path}")
        if kind == "link" and value.startswith("/"):
            raise ValueError(f"link leaves the tree: {path} -> {value}")
        full = os.path.join(directory, path)
        above = full if kind == "dir" else os.path.dirname(full)
        if above not in made:
            os.makedirs(above, exist_ok=True)
            made.add(above)
        if kind == "link":
            os.symlink(value, full)
        elif kind == "file":
            with open(full, "wb") as file:
                file.write(value)
