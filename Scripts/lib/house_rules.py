#!/usr/bin/env python3
"""usage: house_rules.py [ROOT]

Checks the house rules that neither the compiler nor the formatter knows: who imports whom, where
memory may be touched without protection, calls that trap, file length, words. Prints
FILE:LINE: RULE for each breach and exits 1 if there is one.
"""

import pathlib
import re
import sys

# Of the toolchain: these everywhere; the C library only in the module that calls the system. The
# full Foundation triples the start-up time, so it is in neither.
SYSTEM = {"FoundationEssentials", "Synchronization"}
C_LIBRARY = {"Glibc", "Musl", "Darwin"}
CALLS_SYSTEM = "SystemBridge"

LONGEST_FILE = 500
LONGEST_FUNCTION = 60
MOST_PARAMETERS = 5
# Functions, by FILE:NAME, that take more, and why they may.
VALUE = "one for each property of a value"
SPECIFICATION = "as the specification has them"
WIDE_FUNCTIONS = {
    "CalendarTime.swift:init": SPECIFICATION,
    "ChildProcess.swift:run": VALUE,
    "DigestSigner.swift:init": VALUE,
    "IdentityStore+Changes.swift:importCredential": VALUE,
    "PathValidator.swift:init": VALUE,
    "PDFEncryption.swift:init": VALUE,
    "PKCS12Writer.swift:write": VALUE,
    "SigningCredential.swift:init": VALUE,
    "StampedFile.swift:init": VALUE,
    "StampSurroundings.swift:init": VALUE,
    "TSTInfo.swift:init": SPECIFICATION,
    "ValidationMaterial.swift:init": VALUE,
}
FUNCTION = re.compile(r"(?:\bfunc\s+([^\s(<]+)|\b(init)[?!]?)\s*(?:<[^>(]*>)?\(")
COMPUTED = re.compile(r"(?:\bvar\s+(\w+)\s*:[^={}\n]*(?:\n[^={}\n]*)?|\bdeinit\s*)\{")
# Between parameters and body; a requirement of a protocol has no body.
EFFECTS = re.compile(
    r"\s*(?:async\s*)?(?:rethrows\s*|throws(?:\([^)]*\))?\s*)?(?:->[^{}]*?)?(?:where[^{}]*?)?\{")

# Outside the bridges the compiler's strict memory safety must have nothing to complain about, and
# nobody may silence it.
UNSAFE = re.compile(
    r"\bunsafe\b|\bUnsafe\w*|\bOpaquePointer\b|\bUnmanaged\b|\bunsafeBitCast\b|@unchecked\b"
    r"|\bwithUnsafe\w+|\bUNSAFE_\w+|\bunowned\(unsafe\)"
)
# Allowed with a comment, on the line or just above, on why it cannot happen.
TRAPS = re.compile(r"\btry!|\bas!|\b(?:fatalError|preconditionFailure|assertionFailure)\(")
VAGUE_TYPE = re.compile(r"\b(?:struct|class|enum|actor|protocol)\s+(\w*(?:Manager|Helper|Utils?))\b")
IMPORT = re.compile(
    r"^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:(?:public|package|internal|fileprivate|private)\s+)?import\s+"
    r"(?:(?:struct|class|enum|protocol|typealias|func|let|var)\s+)?(\w+)"
)
# What has a type is not written as text: the raw values of these enums stand where they are declared.
TERMS = pathlib.Path("Sources/Base/Terms")
PROBLEM_CODES = TERMS / "ProblemCode.swift"
VERIFY_SCHEMA = "Scripts/schema/verify-1.json"
CODES = "Sources/SignetCommands/Output/Words/codes.txt"
SENTENCES = "Sources/SignetCommands/Reports/Words/english.txt"
# Sentences that code joins, by its parts.
JOINED = {
    "s-fixOrList": ["or ", "if the CA is on an EU trusted list, run:"],
    "s-certificateRevoked": ["the certificate", " was revoked on {1}"],
    "s-statusMissing": ["no revocation data", " for ", "the certificate"],
    "s-statusExpired": ["the revocation data for ", "the certificate", " expired", " on {1}"],
    "s-revisionUnreadable": ["modified after signing: ", "the later revision cannot be read ({1})"],
    "s-stampOfTSA": [
        "the timestamp of the signature", " is ignored, because its TSA is not confirmed", ": {1}"],
    "s-statusOld": [
        "the revocation data for ", "the certificate", " expired", " on {1}",
        " (no effect on the result)"],
    "s-stampIgnored": ["the timestamp of the signature", " is not trusted, so ignored", ": {1}"],
    "s-tsaExpired": [
        "the TSA certificate",
        " expired on {1}, and no later timestamp proves that this timestamp was made before that "
        "date"],
    "s-keyWeakFrom": ["the key is too weak", " from {1} on", " ({2})"],
    "s-annotationAdded": ["page {1}: ", "annotation ({2})", " added"],
    "s-annotationTextAdded": ["page {1}: ", "annotation ({2})", " added", " (/Contents: '{3}')"],
    "s-fieldChangedShown": [
        "field '{1}' changed from ", "'{2}'", " (shown as '{3}')", " to ", "'{4}'",
        " (shown as '{5}')"],
    "s-fieldHidden": ["field '{1}' was ", "hidden"],
    "s-fieldMadeVisible": ["field '{1}' was ", "made visible"],
    "s-fieldEntry": ["the entry /", "{1} of field '{2}'", " was changed"],
    "s-fieldShows": ["field '{1}' ", "shows '{2}', but its value ", "is '{3}'"],
    "s-certificationForbids": [
        "modified after signing, which ", "the certification", " does not permit: {1}"],
    "s-lockForbids": [
        "modified after signing, which ", "the lock of a signature", " does not permit: {1}"],
    "s-issuerNotYet": ["the issuer certificate '{1}'", " is not valid", " before {2}"],
    "s-issuerRevoked": ["the issuer certificate '{1}'", " was revoked on {2}"],
    "s-issuerWeak": ["the issuer certificate '{1}'", " has a weak key or digest algorithm"],
    "s-certificateWeak": ["the certificate", " has a weak key or digest algorithm"],
    "s-certificateRevokedWhy": ["the certificate", " was revoked on {1}", " ({2})"],
    "s-notByIssuer": [
        "the certificate", " does not match the certificate of its issuer: another key, or modified"],
    "s-constraint": ["the certificate", " violates a constraint of the certificate chain ({1})"],
    "s-issuerConstraint": [
        "the issuer certificate '{1}'", " violates a constraint of the certificate chain ({2})"],
    "s-statusMissingWhy": ["no revocation data", ": {1}"],
    "s-crlIgnored": ["the ", "CRL", " of '{1}' ({2}) was ignored: {3}"],
    "s-dataExpired": ["it expired", " on {1}"],
    "s-stampEnded": ["the timestamp of the signature", " is ignored", ": {1}"],
    "s-annotationSays": ["page {1}: ", "annotation ({2})", " added", ": '{3}'"],
    "s-annotationChanged": ["page {1}: ", "annotation ({2})", " changed", ": '{3}'"],
    "s-annotationTarget": ["page {1}: ", "annotation ({2})", " added", ", target '{3}'"],
    "s-pageFieldRemoved": ["page {1}: ", "a form field", " removed"],
    "s-stampInvalid": ["the timestamp of the signature", " is invalid", ": {1}"],
    "s-byteRangeGap": [
        "the signed byte range does not cover the whole file: it was possibly manipulated ", "({1})"],
    "s-listsOld": ["the LOTL (number {1})", " expired on {2}"],
    "s-listOld": ["trusted list {1} of {2}", " expired on {3}"],
    "s-fixProof": ["ask the signer for a new signature", "; the timestamp expired on {1}"],
    "s-stampEndedAlone": [
        "ask the sender for a file with a newer timestamp", "; the timestamp expired on {1}"],
    "s-certificationEntry": ["the certification entry ", "(", "/Perms) was changed"],
    "s-criticalExtension": [
        "the certificate", " has the critical extension {1}, which Signet does not support"],
    "s-seenStamp": ["the ", "visible document timestamp", " '{1}'"],
    "s-pageContent": ["page {1}: ", "content replaced"],
    "s-fixNewCopyCompare": [
        "do not rely on this file; ask the sender for a new copy", "; to",
        " compare, save the version that ", "'{1}'", " signed, and open both in a PDF viewer:"],
    "s-fixCompare": [
        "to", " compare, save the version that ", "'{1}'", " signed, and open both in a PDF viewer:"],
    "s-fixTime": [
        "ask the signer for a new signature with a timestamp",
        "; if you can prove that the signature existed on an earlier day, add --at-time with this day"],
    "s-fixExpired": [
        "the signing certificate expired on {1}, so adding trust or revocation data is ",
        "not enough: ", "{2}"],
    "s-fixLeaveOut": ["ask the signer for a new signature with a timestamp", ", or leave out {1}"],
    "s-objectChanged": ["object {1}", " was changed"],
    "s-appearanceNotBefore": [
        "the appearance of field '{1}' was changed, but not its value",
        "; the signed appearance did not show the value"],
    "s-entryTwice": [
        "viewers may use different values of the signature (the entry /",
        "{1} occurs twice in its dictionary)"],
    "s-qualificationOpen": [
        "{1} is required, but ", "the qualification of the signature was not determined", ": {2}"],
    "s-fixIssuer": [
        "get the certificate of the CA '{1}' from this CA: if it is a root CA that you trust, add "
        "--trust FILE; if it is an intermediate CA, add --chain FILE",
        "; if the CA is on an EU trusted list, run:"],
}
TYPED = {
    "ProblemCode": ("a problem's code is a ProblemCode", r'case \w+ = "([a-z0-9]+(?:-[a-z0-9]+)+)"'),
    "SignatureLevel": ("a level is a SignatureLevel", r'case \w+ = "(B-\w+)"'),
    "DocMDPPermission": ("a permission is a DocMDPPermission", r'case \w+ = "([a-z-]+)"'),
}
# Numbers and texts by these names would be such a term without its type.
BARE_TERM = re.compile(
    r"\b(?:[a-z]\w*(?:Level|Permission)|level|permission)\s*:\s*(?:String|Int)\b(?!\()")
# Only the command line's own module knows its flags and commands; elsewhere hints are codes
# (Base/Terms/Sentence). Custom properties of style sheets look like flags.
COMMAND_LINE = {"SignetCommands"}
FLAG = re.compile(r"(?<!var\()(?<![\w-])--[a-z][a-z0-9-]*(?![\w:-])")
SHORT_FLAG = re.compile(r"(?<=\s)-[oqv](?![\w-])")
COMMAND_NAME = re.compile(r'commandName: "([a-z-]+)"')
# What else names a command: as what does something, and a group with one of its own.
ACTING = re.compile(r"\b(?:verify|sign|extend|convert|show) (?:will|does|says)\b")
C_TEXT = re.compile(r'"[^"\n]*"')
# One folder reads and writes ASN.1, and names object identifiers.
ENCODINGS = "Base/ASN1"
IDENTIFIER = re.compile(r"[0-2](?:\.\d+){3,}")
ENCODED = {
    re.compile(r"\b0x06,\s*0x[0-9A-F]{2},\s*0x(?:04|2A|2B|55|60|67)\b"):
        "an encoded object identifier",
    re.compile(r"\b(?:first|tag|\[0\])\s*[!=]=\s*0x(?:0[1-6]|1[3-8]|3[01]|8[0-9]|A[0-9])\b"):
        "a tag by its number",
    re.compile(r"-\s*0x80\b|&\s*0x7F\b(?!\s*\|)|\b0x8[0-4]\b\s*\?"): "a length that is read by hand",
    re.compile(r"\bASN1Tag\.(?:utcTime|generalizedTime)\b|\bASN1_TIME_(?:to|diff|cmp)\w*"):
        "a time that is read by hand",
}
# Its interface has the types of swift-certificates.
OTHERS_TYPES = "SignetX509"
OTHER_ENCODINGS = re.compile(r"\bimport\s+\w*(?:ASN1|X509)\w*")
# What may help is a code of a Sentence, whose words are in SignetCommands; elsewhere texts state
# facts, and address nobody.
HINT = re.compile(r"\bhint:\s*(?:#*\"|Sentence\(\s*#*\")")
# What is told is a code too, what is asked a SecretQuestion; neither takes text.
SPOKEN = re.compile(r"\b(?:Notices\.say|\w+\.tell|\w+\.(?:pin|otp|login|signature))\(\s*#*\"")
ADDRESS = re.compile(r"\b(?:you|your|yours|please)\b", re.IGNORECASE)
# What a program that uses the library sees: shapes, units, ranges and errors are written there.
INTERFACE = {"SignetKit", "Base"}
PUBLIC = re.compile(
    r"\s*public (?:(?:internal|private|fileprivate)\(set\) |(?:static|final|mutating|indirect) )*"
    r"(?:func|var|let|init|struct|class|enum|protocol|actor|subscript|typealias)\b")
# Operators, an initialiser without parameters, and what a protocol of the language asks for.
OBVIOUS = re.compile(
    r"static func [<=+]|\binit\(\)|\binit\(string(?:Literal|Interpolation)|\binit\(literalCapacity"
    r"|\bappend(?:Literal|Interpolation)\(|\bfunc encode\(to")
QUOTE = re.compile(r'(#*)("""|")')
PLAIN = re.compile(r'[^"#/\n()\\]+')
LITERAL = re.compile(r'"([A-Za-z0-9-]+)"')
# In code and comments of the whole project.
WORDS = {
    re.compile(r"\b(?:FIXME|XXX|HACK)\b"): "unfinished work is an issue, not a comment",
    re.compile(r"(?<![\w.])/(?:work|root)/"): "path of one machine",
    re.compile(r"\b(?:SPEC|CLI|STYLE|DESIGN)\.md\b"): "names a document that is not in the project",
    re.compile(r"\bshared/corpus\b"): "the corpus is an argument",
}
WORDS_EXEMPT = {"Scripts/lib/house_rules.py"}
TEXT_SUFFIXES = {".swift", ".c", ".h", ".py", ".sh", ".md", ".json", ""}


def code_only(text):
    """The text with comments and the insides of string literals blanked, line breaks kept."""
    out = []
    i, n = 0, len(text)
    while i < n:
        if run := PLAIN.match(text, i):
            out.append(run.group())
            i = run.end()
            continue
        if text.startswith("//", i):
            while i < n and text[i] != "\n":
                i += 1
        elif text.startswith("/*", i):
            depth = 0
            while i < n:
                if text.startswith("/*", i):
                    depth, i = depth + 1, i + 2
                elif text.startswith("*/", i):
                    depth, i = depth - 1, i + 2
                    if depth == 0:
                        break
                else:
                    out.append("\n" if text[i] == "\n" else "")
                    i += 1
        else:
            match = QUOTE.match(text, i)
            if not match:
                out.append(text[i])
                i += 1
                continue
            hashes, quote = match.groups()
            out.append('"')
            i = match.end()
            while i < n and not text.startswith(quote + hashes, i):
                if text[i] == "\n":
                    out.append("\n")
                    if quote == '"':
                        break
                i += 2 if text[i] == "\\" and not hashes and text[i + 1 : i + 2] != "\n" else 1
            out.append('"')
            i += len(quote) + len(hashes)
    return "".join(out)


def imports_allowed(package):
    """Who may import whom: target -> names, as the package description has it."""
    text = package.read_text()
    products = dict(re.findall(r"let (\w+) = Target\.Dependency\.product\(\s*name: \"(\w+)\"", text))
    allowed = {}
    for name, body in re.findall(
        r"(?:module|executableTarget)\(\s*(?:name: )?\"(\w+)\",\s*(?:dependencies: )?\[(.*?)\]",
        text, re.DOTALL,
    ):
        words = re.findall(r"\"(\w+)\"|(\w+)", body)
        allowed[name] = {quoted or products[bare] for quoted, bare in words}
    return allowed


def typed_texts(root):
    """Raw values of terms -> (their file, what they are)."""
    found = {}
    for name, (rule, pattern) in TYPED.items():
        path = root / TERMS / f"{name}.swift"
        for text in re.findall(pattern, path.read_text()):
            found[text] = (path, rule)
    return found


def functions(code):
    """Yields (line, name, parameters, lines) of functions that are declared with a body, and of
    computed properties."""
    for match in COMPUTED.finditer(code):
        lines = code.count("\n", match.start(), closing(code, match.end() - 1)) + 1
        yield code.count("\n", 0, match.start()) + 1, match[1] or "deinit", 0, lines
    for match in FUNCTION.finditer(code):
        before = code[code.rfind("\n", 0, match.start()) + 1 : match.start()]
        # A call: self.init(, or an initialiser that is used.
        if match[2] and re.search(r"[.\w(=]\s*$", before) and not DECLARES.search(before):
            continue
        parameters, end = 0, closing(code, match.end() - 1)
        depth = 0
        for character in code[match.end() : end]:
            depth += (character in "([{") - (character in ")]}")
            parameters += character == ":" and depth == 0
        body = EFFECTS.match(code, end + 1)
        if not body or "\n\n" in body.group():
            continue
        lines = code.count("\n", match.start(), closing(code, body.end() - 1)) + 1
        yield code.count("\n", 0, match.start()) + 1, match[1] or match[2], parameters, lines


DECLARES = re.compile(r"(?:^|\s)(?:public|package|internal|fileprivate|private|convenience|required)\s*$")


def closing(code, start):
    """Where the bracket at `start` is closed."""
    depth = 0
    for index in range(start, len(code)):
        depth += (code[index] in "([{") - (code[index] in ")]}")
        if depth == 0:
            return index
    return len(code)


def check_sizes(path, text):
    """Yields (line, breach) for files and functions that are too long, or take too much."""
    count = text.count("\n")
    if count > LONGEST_FILE:
        yield LONGEST_FILE, f"{count} lines, more than {LONGEST_FILE}: split"
    for line, name, parameters, lines in functions(code_only(text)):
        known = f"{path.name}:{name}"
        if lines >= LONGEST_FUNCTION:
            yield line, f"{name} has {lines} lines, {LONGEST_FUNCTION} or more: split"
        if parameters > MOST_PARAMETERS and known not in WIDE_FUNCTIONS:
            yield line, f"{name} has {parameters} parameters, more than {MOST_PARAMETERS}"


def literals(text):
    """Yields (line, words) of string literals, those in interpolations too; comments are left out."""
    # What the scanner is in: a quote that ends a literal, or how many parentheses are open in code.
    inside, i, line, words = [0], 0, 1, ""
    while i < len(text):
        state = inside[-1]
        if run := PLAIN.match(text, i):
            words += run.group() if isinstance(state, str) else ""
            i = run.end()
            continue
        if isinstance(state, str):
            hashes = state.lstrip('"')
            if text.startswith(state, i):
                yield line, words
                words, i = "", i + len(state)
                inside.pop()
                continue
            if text.startswith("\\" + hashes, i):
                i += 1 + len(hashes)
                if text[i] == "(":
                    yield line, words
                    words = ""
                    inside.append(1)
                i += 1
                continue
            words += text[i]
        elif text.startswith("//", i):
            i = text.find("\n", i)
            if i < 0:
                return
            continue
        elif match := QUOTE.match(text, i):
            inside.append(match[2] + match[1])
            i = match.end()
            continue
        elif text[i] in "()":
            inside[-1] += 1 if text[i] == "(" else -1
            if inside[-1] == 0 and len(inside) > 1:
                inside.pop()
        line += text[i] == "\n"
        i += 1


def check_docstrings(text):
    """Yields (line, breach) for public declarations without a docstring, cases of enums aside."""
    lines = text.split("\n")
    for number, line in enumerate(lines):
        if not PUBLIC.match(line) or OBVIOUS.search(line):
            continue
        before = number - 1
        while lines[before].lstrip().startswith("@"):
            before -= 1
        if not lines[before].lstrip().startswith("///"):
            yield number + 1, "a public declaration without a docstring"


def command_line(root):
    """Patterns of what only the command line's own module may say."""
    names, groups = set(), set()
    for path in (root / "Sources/SignetCommands").glob("**/*.swift"):
        text = path.read_text()
        for match in COMMAND_NAME.finditer(text):
            names.add(match[1])
            start = text.rfind("CommandConfiguration(", 0, match.start())
            end = text.find("static let configuration", match.end())
            if "subcommands:" in text[start : end if end >= 0 else None]:
                groups.add(match[1])
    names, groups = "|".join(sorted(names - {"signet"})), "|".join(sorted(groups - {"signet"}))
    return [FLAG, SHORT_FLAG, ACTING] + [
        re.compile(rf"\b(?:{first}) (?:{names})\b") for first in ("signet", groups)]


def check_command_line(patterns, text):
    """Yields (line, breach) for flags and commands in texts."""
    for line, literal in literals(text):
        for pattern in patterns:
            if match := pattern.search(literal):
                yield line, f"`{match.group()}`: only SignetCommands knows flags and commands"


def check_c(text):
    """Yields (line, breach) for flags in texts of C."""
    for number, line in enumerate(text.split("\n"), 1):
        for literal in C_TEXT.findall(line):
            if match := FLAG.search(literal):
                yield number, f"`{match.group()}`: only SignetCommands knows flags"


def check_hints(text):
    """Yields (line, breach) for words that tell a person what to do."""
    for number, line in enumerate(text.split("\n"), 1):
        if not line.lstrip().startswith("//") and (match := HINT.search(line)):
            yield number, f"`{match.group()}`: a hint has a code; its words are in SignetCommands"
    if match := SPOKEN.search(text):
        line = text.count("\n", 0, match.start()) + 1
        yield line, f"`{match.group()}`: what is told has a code; its words are in SignetCommands"
    for number, literal in literals(text):
        if match := ADDRESS.search(literal):
            yield number, f"`{match.group()}`: only SignetCommands speaks to a person"


def check_encodings(allowed, text):
    """Yields (line, breach) for identifiers, tags and lengths that only Base/ASN1 should know."""
    for line, literal in literals(text):
        if IDENTIFIER.fullmatch(literal):
            yield line, f'"{literal}": an object identifier is a name of OID'
    code = code_only(text)
    if match := OTHER_ENCODINGS.search(code):
        line = code.count("\n", 0, match.start()) + 1
        yield line, f"`{match.group()}`: only {ENCODINGS} reads and writes ASN.1"
    # Elsewhere the same numbers are of fonts, pictures and text.
    for pattern, what in ENCODED.items() if "CryptoBridge" in (allowed or ()) else ():
        for match in pattern.finditer(code):
            line = code.count("\n", 0, match.start()) + 1
            yield line, f"`{match.group()}`: {what}, which only {ENCODINGS} knows"


def check_terms(path, terms, text):
    """Yields (line, breach) for terms without their type; comments and help texts may name them."""
    for number, line in enumerate(text.split("\n"), 1):
        code = line.split("//")[0]
        # Another enum's own word may be spelled alike.
        is_case = re.match(r'\s*case \w+ = "', code)
        for literal in [] if is_case else LITERAL.findall(code):
            home, rule = terms.get(literal, (path, ""))
            if home != path and TERMS.name not in path.parts:
                yield number, f'"{literal}": {rule}'
        # What stands on a command line is text at first.
        # Qualification has levels of another kind.
        elsewhere = {"SignetCommands", "TrustLists", "Lists"}
        if not elsewhere & set(path.parts) and (match := BARE_TERM.search(code)):
            yield number, f"`{match.group()}`: levels and permissions are no bare text or number"


def check_problem_table(root):
    """Yields (line, breach) for codes of problems that are not explained, or not in the schema."""
    rows = set(re.findall(r"^([a-z0-9-]+): ", (root / CODES).read_text(), re.MULTILINE))
    described = set(re.findall(r'"([a-z0-9-]+)"', (root / VERIFY_SCHEMA).read_text()))
    for number, line in enumerate((root / PROBLEM_CODES).read_text().split("\n"), 1):
        if match := re.match(r'\s*case (\w+) = "([a-z0-9-]+)"', line):
            if match[2] not in rows:
                yield number, f"{match[1]} is not in {CODES}"
            if match[2] not in described:
                yield number, f'"{match[2]}" is not in {VERIFY_SCHEMA}'


def check_sentences(root):
    """Yields (line, breach) for sentences with a translation that no code says: the report matches
    them with what is said, so that a changed message would silently stay English."""
    said = [" ".join(words for _, words in literals(path.read_text()))
            for path in (root / "Sources").glob("*/**/*.swift")]
    said = [plain_words(text) for text in said + [(root / CODES).read_text()]]
    rows = (root / SENTENCES).read_text().split("\n")
    first = rows.index("# Sentences") + 1
    for number, row in enumerate(rows[first:-1], first + 1):
        name, _, sentence = row.partition(": ")
        parts = JOINED.get(name, [sentence])
        if "".join(parts) != sentence:
            yield number, f"JOINED has other parts of {name}"
        for part in parts:
            pieces = [plain_words(piece) for piece in re.split(r"\{\d\}|[()]", part)]
            pattern = re.compile(r"\b.{0,60}?\b".join(re.escape(piece) for piece in pieces if piece))
            if not any(map(pattern.search, said)):
                yield number, f"{name}: nothing says '{part}'"


def plain_words(text):
    return " ".join(re.sub(r"[^\w/-]+", " ", text).split())


def check_swift(target, allowed, text):
    """Yields (line, breach) for one file in Sources."""
    bridge = target.endswith("Bridge") or "\nimport CTexts\n" in "\n" + text
    if allowed is None:
        yield 1, f"the package description has no target {target}"
        allowed = set()
    allowed = allowed | SYSTEM | (C_LIBRARY if target == CALLS_SYSTEM else set())
    lines = text.split("\n")
    for number, code in enumerate(code_only(text).split("\n"), 1):
        match = IMPORT.match(code)
        if match and match.group(1) not in allowed:
            yield number, f"{target} must not import {match.group(1)}"
        if not bridge and (match := UNSAFE.search(code)):
            yield number, f"`{match.group()}` outside the bridges"
        if match := TRAPS.search(code):
            around = lines[max(0, number - 4) : number]
            if not any("//" in line for line in around):
                yield number, f"`{match.group()}` without a comment on why it cannot happen"
        if match := VAGUE_TYPE.search(code):
            yield number, f"type name {match.group(1)} does not say what it is"


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    breaches = []
    imports = imports_allowed(root / "Package.swift")
    terms = typed_texts(root)
    commands = command_line(root)
    for path in sorted((root / "Sources").glob("*/**/*.swift")):
        target = path.relative_to(root / "Sources").parts[0]
        for line, breach in check_swift(target, imports.get(target), path.read_text()):
            breaches.append((path.relative_to(root), line, breach))
        if ENCODINGS not in path.as_posix() and target != OTHERS_TYPES:
            for line, breach in check_encodings(imports.get(target), path.read_text()):
                breaches.append((path.relative_to(root), line, breach))
        for line, breach in check_sizes(path, path.read_text()):
            breaches.append((path.relative_to(root), line, breach))
        if target in INTERFACE:
            for line, breach in check_docstrings(path.read_text()):
                breaches.append((path.relative_to(root), line, breach))
        if target not in COMMAND_LINE:
            for line, breach in check_command_line(commands, path.read_text()):
                breaches.append((path.relative_to(root), line, breach))
            for line, breach in check_hints(path.read_text()):
                breaches.append((path.relative_to(root), line, breach))
        for line, breach in check_terms(path, terms, path.read_text()):
            breaches.append((path.relative_to(root), line, breach))
    for path in sorted((root / "Sources").glob("*/**/*.[ch]")):
        for line, breach in check_c(path.read_text()):
            breaches.append((path.relative_to(root), line, breach))
    for line, breach in check_problem_table(root):
        breaches.append((PROBLEM_CODES, line, breach))
    for line, breach in check_sentences(root):
        breaches.append((SENTENCES, line, breach))
    for folder in ("Sources", "Tests", "Scripts", ".ci", "TestVectors"):
        for path in sorted((root / folder).glob("**/*")):
            name = path.relative_to(root).as_posix()
            if not path.is_file() or path.suffix not in TEXT_SUFFIXES or name in WORDS_EXEMPT:
                continue
            try:
                text = path.read_text()
            except UnicodeDecodeError:
                continue
            for number, line in enumerate(text.split("\n"), 1):
                for pattern, why in WORDS.items():
                    if match := pattern.search(line):
                        breaches.append((name, number, f"`{match.group()}`: {why}"))
    for path, line, breach in breaches:
        print(f"{path}:{line}: {breach}", file=sys.stderr)
    sys.exit(1 if breaches else 0)


if __name__ == "__main__":
    main()
