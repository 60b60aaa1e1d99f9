"""Writes a man page for each command from what the program says of itself."""

import datetime


def roff(text):
    """Text as roff, where a backslash, a hyphen and a dot at the beginning mean something."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq")
    return "\n".join("\\&" + line if line.startswith(".") else line for line in text.split("\n"))


def paragraphs(text):
    """What stands indented is shown as it is."""
    lines, shown = [], False
    for line in text.split("\n"):
        indented = line.startswith("  ")
        if indented != shown:
            lines += [".PP", ".nf", ".RS 0"] if indented else [".RE", ".fi", ".PP"]
            shown = indented
        lines.append(roff(line) if line else ".PP" if not shown else "")
    if shown:
        lines += [".RE", ".fi"]
    # Two breaks one after the other say no more than one.
    return [line for index, line in enumerate(lines)
            if line != ".PP" or index == 0 or lines[index - 1] != ".PP"]


def names(argument):
    value = argument.get("valueName", "")
    if argument["kind"] == "positional":
        name = f"\\fI{roff(value)}\\fR"
        return name + " ..." if argument.get("isRepeating") else name
    spelled = [("\\-\\-" if name["kind"] == "long" else "\\-") + roff(name["name"])
               for name in argument["names"]]
    text = ", ".join(f"\\fB{name}\\fR" for name in spelled)
    return text + (f" \\fI{roff(value)}\\fR" if argument["kind"] == "option" else "")


def page(command, path, when, version):
    """The roff text of one command."""
    title = "-".join(path)
    day = datetime.datetime.fromtimestamp(when, datetime.timezone.utc).strftime("%Y-%m-%d")
    lines = [f'.TH {title.upper()} 1 "{day}" "signet {version}" "Signet"',
             ".SH NAME", f"{roff(title)} \\- {roff(command['abstract'].rstrip('.'))}",
             ".SH SYNOPSIS", f".B {roff(' '.join(path))}"]
    shown = [a for a in command.get("arguments", []) if a.get("shouldDisplay", True)]
    positional = [a for a in shown if a["kind"] == "positional"]
    subcommands = [c for c in command.get("subcommands", [])
                   if c.get("shouldDisplay", True) and c["commandName"] != "help"]
    if subcommands:
        lines.append("\\fIcommand\\fR ...")
    else:
        lines.append("[\\fIoptions\\fR] " + " ".join(names(a) for a in positional))
    if command.get("discussion"):
        lines += [".SH DESCRIPTION"] + paragraphs(command["discussion"])
    if subcommands:
        lines.append(".SH COMMANDS")
        for sub in subcommands:
            lines += [".TP", f"\\fB{roff('-'.join(path + [sub['commandName']]))}\\fR(1)",
                      roff(sub["abstract"])]
    if positional:
        lines.append(".SH ARGUMENTS")
        for argument in positional:
            lines += [".TP", names(argument), roff(argument.get("abstract", ""))]
    sections = {}
    for argument in shown:
        if argument["kind"] != "positional":
            sections.setdefault(argument.get("sectionTitle", "Options"), []).append(argument)
    for section, arguments in sections.items():
        lines.append(f".SH {roff(section.upper())}")
        for argument in arguments:
            lines += [".TP", names(argument), roff(argument.get("abstract", ""))]
    lines += [".SH EXIT STATUS", "See \\fBsignet help exit\\-codes\\fR."]
    parents = [f"\\fB{roff('-'.join(path[:-1]))}\\fR(1)"] if len(path) > 1 else []
    if parents:
        lines += [".SH SEE ALSO", *parents]
    return "\n".join(line for line in lines) + "\n"


def pages(command, when, version, path=None):
    """All pages: names of files and their texts."""
    path = path or [command["commandName"]]
    yield f"{'-'.join(path)}.1", page(command, path, when, version)
    for sub in command.get("subcommands", []):
        if sub["commandName"] != "help":
            yield from pages(sub, when, version, path + [sub["commandName"]])
