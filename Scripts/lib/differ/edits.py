"""Changes of bytes behind the signed end, without regard to places that are written there."""

TOKENS = (
    b"\n", b"\r", b" ", b"\0", b"%", b"(", b")", b"<", b">", b"<<", b">>", b"[", b"]", b"/", b"endobj",
    b"obj", b"stream", b"endstream", b"xref", b"trailer", b"startxref", b"%%EOF", b"%PDF-1.7", b"R", b"0",
    b"1", b"9", b"-", b"+", b".", b"#", b"{", b"}", b"null", b"true", b"f", b"n", b"\xff", b"\\",
    b"/Root", b"/Prev", b"/Size", b"/Length", b"/Type", b"/XRefStm", b"/Contents", b"/Kids",
    b"4 0 obj", b"4 0 R", b"900 0 R", b"endobj 4 0 obj", b"\x85", b"\x0b", b"\x1f")


def lines(data):
    return data.splitlines(keepends=True)


def one_edit(data, odd):
    """The bytes with one change."""
    if not data:
        return odd.random.choice(TOKENS)
    place = odd.number(0, len(data) - 1)
    kind = odd.one("edit", "insert", "insert", "replace", "delete", "token-for-byte", "digit",
                   "double-line", "drop-line", "swap-lines", "cut", "copy", "case", "line-ends")
    if kind == "insert":
        return data[:place] + odd.random.choice(TOKENS) + data[place:]
    if kind == "replace":
        return data[:place] + bytes([odd.number(0, 255)]) + data[place + 1 :]
    if kind == "delete":
        return data[:place] + data[place + odd.random.choice((1, 1, 1, 2, 5, 20)) :]
    if kind == "token-for-byte":
        return data[:place] + odd.random.choice(TOKENS) + data[place + 1 :]
    if kind == "digit":
        digits = [i for i, byte in enumerate(data) if 48 <= byte <= 57]
        if digits:
            place = odd.random.choice(digits)
            return data[:place] + b"%d" % odd.number(0, 9) + data[place + 1 :]
        return data
    if kind == "cut":
        return data[:place]
    if kind == "copy":
        size = odd.number(1, 80)
        goal = odd.number(0, len(data))
        return data[:goal] + data[place : place + size] + data[goal:]
    if kind == "case":
        return data[:place] + data[place : place + 1].swapcase() + data[place + 1 :]
    if kind == "line-ends":
        return data.replace(b"\n", odd.random.choice((b"\r", b"\r\n", b"\n\n")))
    return line_edit(data, kind, odd)


def line_edit(data, kind, odd):
    parts = lines(data)
    index = odd.number(0, len(parts) - 1)
    if kind == "double-line":
        parts.insert(odd.number(0, len(parts)), parts[index])
    elif kind == "drop-line":
        del parts[index]
    else:
        other = odd.number(0, len(parts) - 1)
        parts[index], parts[other] = parts[other], parts[index]
    return b"".join(parts)


def edited(data, odd):
    for _ in range(odd.random.choice((1, 1, 1, 2, 2, 3, 4))):
        data = one_edit(data, odd)
    return data
