# doxygen.awk: marks the comments of the public headers for Doxygen; lines keep their order.
#   /* name.h: text     at the top of a file: its documentation
#   /* text             on lines of its own: documents what follows
#   code /* text        documents the code before it
#   /* ---- text        a section: its text is left out
FNR == 1 {
    sub(/^\/\* /, "/** @file\n * ")
    print
    next
}
{
    if ($0 ~ /^ *\/\*/) {
        if ($0 !~ /^ *\/\* ----/) sub(/\/\*/, "/**")
    } else sub(/\/\*/, "/**<")
    print
}
