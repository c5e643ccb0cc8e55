/* markup.c: text and bytes within HTML and XML. */
#include "report/report.h"

/* Length of the UTF-8 sequence at `text`, 0 if it is not allowed in XML. */
static int sequence_size(const unsigned char *text) {
    if (*text < 0x80) return *text >= 0x20 || *text == '\t' || *text == '\n' || *text == '\r';
    int n = *text >= 0xf0 && *text < 0xf5   ? 4
            : *text >= 0xe0 && *text < 0xf0 ? 3
            : *text >= 0xc2 && *text < 0xe0 ? 2
                                            : 0;
    if (n == 0) return 0;
    uint32_t code = *text & (0xffu >> (n + 1));
    for (int k = 1; k < n; k++) {
        if ((text[k] & 0xc0) != 0x80) return 0;
        code = code << 6 | (text[k] & 0x3f);
    }
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    bool surrogate = code >= 0xd800 && code < 0xe000;
    return code >= least[n] && code <= 0x10ffff && !surrogate && code != 0xfffe && code != 0xffff ? n : 0;
}

void app_markup_text(FILE *out, const char *text, bool attribute) {
    for (const unsigned char *c = (const unsigned char *)text; *c;) {
        int n = sequence_size(c);
        if (n == 0) {
            fputs("\xef\xbf\xbd", out); /* replacement character */
            c++;
            continue;
        }
        if (*c == '&')
            fputs("&amp;", out);
        else if (*c == '<')
            fputs("&lt;", out);
        else if (*c == '>')
            fputs("&gt;", out);
        else if (*c == '"')
            fputs("&quot;", out);
        else if (attribute && (*c == '\n' || *c == '\t' || *c == '\r'))
            fprintf(out, "&#%d;", *c);
        else
            fwrite(c, 1, (size_t)n, out);
        c += n;
    }
}

void app_markup_base64(FILE *out, const void *bytes, size_t size) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char *from = bytes;
    for (size_t k = 0; k < size; k += 3) {
        size_t n = size - k < 3 ? size - k : 3;
        uint32_t three = (uint32_t)from[k] << 16 | (n > 1 ? (uint32_t)from[k + 1] << 8 : 0) | (n > 2 ? from[k + 2] : 0);
        for (size_t d = 0; d < 4; d++) fputc(d <= n ? digits[three >> (18 - 6 * d) & 63] : '=', out);
    }
}
