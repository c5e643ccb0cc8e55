# texts_of.awk: the texts of source files, one record a line: FILE:LINE:KIND: TEXT. A comment is one record (adjacent lines of `//`,
# `--` and `#` count as one), and so are string literals that follow each other, and paragraphs of a document. KIND is comment, string
# or document. Languages: C (.c .h .inc), Lua (.lua), documents (.md: without code), else shell, awk and make.
# With -v code=1 the identifiers of the code instead, FILE:LINE:IDENTIFIER; of shell, names of variables and functions.
# Usage: awk [-v code=1] -f tests/texts_of.awk FILE...
function emit_code(s,    word, n, k) {
    if (!code) return
    n = split(s, word, /[^A-Za-z0-9_]+/)
    for (k = 1; k <= n; k++) if (word[k] ~ /^[A-Za-z_]/) print FILENAME ":" FNR ":" word[k]
}
function flush_text() {
    if (text != "" && !code) { gsub(/[ \t\r]+/, " ", text); print file ":" start ":" kind ": " text }
    text = ""
}
function add_text(k, s) { # joins with the text before it, if that is of the same kind
    if (text != "" && kind != k) flush_text()
    if (text == "") { kind = k; start = FNR; file = FILENAME; text = s; return }
    text = text (k == "string" ? "" : " ") s
}
function plain_string(s) { # escapes and formats are no words
    gsub(/\\[ntr0]/, " ", s); gsub(/\\"/, "\"", s); gsub(/%[-+ #0]*[0-9*]*(\.[0-9*]+)?(ll|l|z|h)?[a-zA-Z]/, "N", s)
    return s
}
function code_is_blank(s) { gsub(/[ \t\r()]|\.\./, "", s); return s == "" || s ~ /^PRI[a-z0-9A-Z]+$/ }
function read_c(line,    found, before) {
    if (!inside && line ~ /^[ \t]*#[ \t]*include/) return
    if (!inside && line ~ /^[ \t]*$/) { flush_text(); return }
    while (line != "") {
        if (inside) {
            sub(/^[ \t]*\*[ \t]+/, "", line)
            found = index(line, "*/")
            if (!found) { add_text("comment", line); return }
            add_text("comment", substr(line, 1, found - 1)); line = substr(line, found + 2); inside = 0
            continue
        }
        if (match(line, /"([^"\\]|\\.)*"|\047([^\047\\]|\\.)*\047|\/\*|\/\//) == 0) {
            emit_code(line)
            if (!code_is_blank(line)) flush_text()
            return
        }
        found = substr(line, RSTART, RLENGTH); before = substr(line, 1, RSTART - 1); line = substr(line, RSTART + RLENGTH)
        emit_code(before)
        if (!code_is_blank(before)) flush_text()
        if (found == "/*") { flush_text(); inside = 1 }
        else if (found == "//") { add_text("comment", line); return }
        else if (substr(found, 1, 1) == "\"") add_text("string", plain_string(substr(found, 2, length(found) - 2)))
        else flush_text()
    }
}
function close_of(level) { return "]" substr("==========", 1, level) "]" }
function read_lua(line,    found, before, at) {
    if (!inside && line ~ /^[ \t]*$/) { flush_text(); return }
    while (1) {
        if (inside) { # of a long bracket: as a string, paragraph by paragraph
            at = index(line, closing)
            if (!at) {
                if (line ~ /^[ \t]*$/) flush_text()
                else add_text(long, (long == "string" ? " " : "") line)
                return
            }
            add_text(long, (long == "string" ? " " : "") substr(line, 1, at - 1)); flush_text()
            line = substr(line, at + length(closing)); inside = 0
            continue
        }
        if (line == "") return
        if (match(line, /"([^"\\]|\\.)*"|\047([^\047\\]|\\.)*\047|--\[=*\[|--|\[=*\[/) == 0) {
            emit_code(line)
            if (!code_is_blank(line)) flush_text()
            return
        }
        found = substr(line, RSTART, RLENGTH); before = substr(line, 1, RSTART - 1); line = substr(line, RSTART + RLENGTH)
        emit_code(before)
        if (!code_is_blank(before)) flush_text()
        if (found == "--") { add_text("comment", line); return }
        if (found ~ /\[$/) {
            flush_text(); long = found ~ /^--/ ? "comment" : "string"; inside = 1
            closing = found; sub(/^--/, "", closing); gsub(/\[/, "]", closing)
        } else add_text("string", plain_string(substr(found, 2, length(found) - 2)))
    }
}
function read_document(line) {
    if (line ~ /^[ \t]*```/) { inside = !inside; flush_text(); return }
    if (inside) return
    if (line ~ /^[ \t]*$/ || line ~ /^[ \t]*([-*|#]|[0-9]+\.)/) flush_text()
    gsub(/`[^`]*`/, "`code`", line)
    if (line !~ /^[ \t]*$/) add_text("document", line)
}
function read_shell(line,    found) {
    if (line ~ /^[ \t]*#!/) return
    if (line ~ /^[ \t]*#/) { sub(/^[ \t]*#+/, "", line); add_text("comment", line); return }
    flush_text()
    if (match(line, /[ \t]# /)) { add_text("comment", substr(line, RSTART + 3)); flush_text(); line = substr(line, 1, RSTART) }
    if (match(line, /^[a-zA-Z_0-9]+\(\)/)) emit_code(substr(line, 1, RLENGTH))
    while (match(line, /\$\{?[#!]?[A-Za-z_][A-Za-z_0-9]*/)) { # what expands is code, also within a string
        emit_code(substr(line, RSTART, RLENGTH)); line = substr(line, 1, RSTART - 1) "..." substr(line, RSTART + RLENGTH)
    }
    if (match(line, /(^|[^\\])["\047]/)) { add_text("string", substr(line, RSTART)); flush_text() }
}
FNR == 1 { flush_text(); inside = 0 }
FILENAME ~ /\.(c|h|inc)$/ { read_c($0); next }
FILENAME ~ /\.lua$/ { read_lua($0); next }
FILENAME ~ /\.md$/ { read_document($0); next }
{ read_shell($0) }
END { flush_text() }
