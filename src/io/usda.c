/* usda.c: reads a layer in text: recursive descent over the bytes of the file, which end with a zero. */
#include "io/usda.h"

#include "io/number.h"
#include "io/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { DEEPEST = 64 }; /* nested prims, lists and dictionaries */

typedef struct parser {
    const char *path, *at, *end;
    int64_t line;
    mus_usda *layer;
    mus_status status;
    int depth;
    bool has_codes; /* timeCodesPerSecond is given */
} parser;

void mus_usda_free(mus_usda *layer) {
    for (int64_t p = 0; p < layer->prims.count; p++) {
        mus_usda_prim *prim = &layer->prims.data[p];
        for (int64_t k = 0; k < prim->properties.count; k++) {
            mus_usda_property *property = &prim->properties.data[k];
            for (int64_t t = 0; t < property->value.texts.count; t++) mus_free(property->value.texts.data[t]);
            mus_array_free(&property->value.texts);
            mus_array_free(&property->value.numbers);
            mus_array_free(&property->samples);
            mus_array_free(&property->sampled);
            mus_free(property->name);
            mus_free(property->interpolation);
        }
        for (int64_t k = 0; k < prim->schemas.count; k++) mus_free(prim->schemas.data[k]);
        mus_array_free(&prim->schemas);
        mus_array_free(&prim->properties);
        mus_free(prim->type);
        mus_free(prim->name);
    }
    mus_array_free(&layer->prims);
}

const mus_usda_property *mus_usda_find(const mus_usda_prim *prim, const char *name) {
    const mus_usda_property *sampled = NULL;
    for (int64_t k = 0; k < prim->properties.count; k++) {
        const mus_usda_property *property = &prim->properties.data[k];
        if (strcmp(property->name, name) != 0) continue;
        if (property->samples.count == 0) return property;
        if (!sampled) sampled = property;
    }
    return sampled;
}

const mus_usda_property *mus_usda_find_sampled(const mus_usda_prim *prim, const char *name) {
    for (int64_t k = 0; k < prim->properties.count; k++)
        if (prim->properties.data[k].samples.count > 0 && strcmp(prim->properties.data[k].name, name) == 0)
            return &prim->properties.data[k];
    return mus_usda_find(prim, name);
}

mus_usda_span mus_usda_span_at(const mus_usda_property *p, double time) {
    const mus_usda_sample *s = p->samples.data;
    int64_t low = 0, high = p->samples.count - 1;
    if (high < 0 || isnan(time))
        return (mus_usda_span){p->value.numbers.data, p->value.numbers.data, p->value.numbers.count, 0};
    while (high - low > 1) {
        int64_t half = low + (high - low) / 2;
        if (s[half].time <= time)
            low = half;
        else
            high = half;
    }
    if (time >= s[high].time) low = high;
    mus_usda_span span = {p->sampled.data + s[low].begin, p->sampled.data + s[high].begin, s[low].count, 0};
    bool between = low != high && time > s[low].time && s[high].count == s[low].count;
    if (between) span.share = (time - s[low].time) / (s[high].time - s[low].time);
    return span;
}

const double *mus_usda_numbers_at(const mus_usda_property *p, double time, mus_usda_room *room, int64_t *count) {
    mus_usda_span span = mus_usda_span_at(p, time);
    *count = span.count;
    if (!(span.share > 0)) return span.before;
    if (!mus_array_reserve(&room->numbers, *count + 1)) return NULL;
    for (int64_t k = 0; k < *count; k++)
        room->numbers.data[k] = (1 - span.share) * span.before[k] + span.share * span.after[k];
    return room->numbers.data;
}

bool mus_usda_has_schema(const mus_usda_prim *prim, const char *name) {
    for (int64_t k = 0; k < prim->schemas.count; k++)
        if (strcmp(prim->schemas.data[k], name) == 0) return true;
    return false;
}

int32_t mus_usda_prim_at(const mus_usda *layer, int32_t from, const char *path) {
    int32_t at = *path == '/' ? -1 : from;
    if (*path != '/' && from < 0) return -1;
    if (*path == '/') path++;
    while (*path) {
        size_t length = strcspn(path, "/");
        int32_t next = at + 1;
        if (length == 2 && path[0] == '.' && path[1] == '.') {
            if (at < 0) return -1;
            at = layer->prims.data[at].parent;
            path += path[2] ? 3 : 2;
            continue;
        }
        for (; next < (int32_t)layer->prims.count; next++) {
            const mus_usda_prim *prim = &layer->prims.data[next];
            if (prim->parent == at && strlen(prim->name) == length && memcmp(prim->name, path, length) == 0) break;
        }
        if (length == 0 || next == (int32_t)layer->prims.count) return -1;
        at = next, path += length;
        if (path[0] == '/' && path[1]) path++;
    }
    return at;
}

/* ---- Characters -------------------------------------------------------------------------------------------------- */

static void refuse(parser *p, const char *reason) {
    if (p->status != MUS_STATUS_OK) return;
    mus_excerpt excerpt = mus_excerpt_of(p->at);
    p->status = mus_fail(MUS_STATUS_FORMAT, "%s:%lld: %s (at '%s')", p->path, (long long)p->line, reason, excerpt.text);
}

static void run_out(parser *p) {
    if (p->status == MUS_STATUS_OK) p->status = MUS_STATUS_NO_MEMORY;
}

static bool is_fine(const parser *p) {
    return p->status == MUS_STATUS_OK;
}

static void step(parser *p) {
    if (*p->at == '\n') p->line++;
    p->at++;
}

static void skip_comment(parser *p) {
    p->at += 2;
    while (p->at < p->end && strncmp(p->at, "*/", 2) != 0) step(p);
    if (p->at < p->end) p->at += 2;
}

/* Skips blanks and comments, of one line and between slashes and stars. */
static char peek(parser *p) {
    while (p->at < p->end) {
        bool slash = *p->at == '/' && p->at + 1 < p->end;
        if (*p->at == '#' || (slash && p->at[1] == '/'))
            while (p->at < p->end && *p->at != '\n') p->at++;
        else if (slash && p->at[1] == '*')
            skip_comment(p);
        else if (*p->at == ' ' || *p->at == '\t' || *p->at == '\r' || *p->at == '\n' || *p->at == ';')
            step(p);
        else
            break;
    }
    return p->at < p->end ? *p->at : 0;
}

static bool take(parser *p, char c) {
    if (!is_fine(p) || peek(p) != c) return false;
    step(p);
    return true;
}

static void expect(parser *p, char c, const char *reason) {
    if (is_fine(p) && !take(p, c)) refuse(p, reason);
}

static bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == ':' ||
           c == '.' || c == '-' || c == '+' || c == '!' || (unsigned char)c >= 0x80;
}

static char *copy(parser *p, const char *from, size_t length) {
    char *text = mus_new(length + 1);
    if (text) memcpy(text, from, length);
    if (!text) run_out(p);
    return text;
}

/* Letters, digits and what names of attributes and numbers have besides; empty where there are none. */
static size_t word(parser *p, const char **start) {
    peek(p);
    *start = p->at;
    while (p->at < p->end && is_word(*p->at)) p->at++;
    return (size_t)(p->at - *start);
}

static bool is(const char *start, size_t length, const char *text) {
    return strlen(text) == length && memcmp(start, text, length) == 0;
}

static int hex_digit(char c) {
    static const char digits[] = "0123456789abcdef0123456789ABCDEF";
    const char *at = c ? strchr(digits, c) : NULL;
    return at ? (int)(at - digits) % 16 : -1;
}

/* The character of an escape, whose backslash is before *c, which goes to its last one. */
static char unescape(const char **c, const char *end) {
    static const char letters[] = "nrtabfv", meanings[] = "\n\r\t\a\b\f\v";
    const char *at = strchr(letters, **c);
    if (at && **c) return meanings[at - letters];
    if (**c == 'x' && end - *c > 2 && hex_digit((*c)[1]) >= 0 && hex_digit((*c)[2]) >= 0) {
        *c += 2;
        return (char)(16 * hex_digit((*c)[-1]) + hex_digit(**c));
    }
    return **c;
}

/* A string in quotes, single or triple; NULL after a failure. */
static char *string(parser *p) {
    char quote = peek(p);
    bool triple = p->end - p->at >= 3 && p->at[1] == quote && p->at[2] == quote;
    for (int k = 0; k < (triple ? 3 : 1); k++) step(p);
    const char *start = p->at;
    while (p->at < p->end) {
        if (*p->at == quote && (!triple || (p->at[1] == quote && p->at[2] == quote))) break;
        if (*p->at == '\n' && !triple) break;
        if (*p->at == '\\' && p->at + 1 < p->end) step(p);
        step(p);
    }
    if (p->at >= p->end || *p->at != quote) {
        refuse(p, "a string does not end");
        return NULL;
    }
    char *text = mus_new((size_t)(p->at - start) + 1);
    if (!text) run_out(p);
    size_t length = 0;
    for (const char *c = start; text && c < p->at; c++) {
        bool is_escape = *c == '\\' && c + 1 < p->at;
        if (is_escape) c++;
        text[length++] = is_escape ? unescape(&c, p->at) : *c;
    }
    for (int k = 0; k < (triple ? 3 : 1); k++) step(p);
    return text;
}

/* Up to what closes it: paths in < >, assets in @ @ or @@@ @@@. */
static char *enclosed(parser *p, const char *close) {
    size_t length = strlen(close);
    p->at += length;
    const char *start = p->at;
    while (p->at < p->end && *p->at != '\n' && strncmp(p->at, close, length) != 0) p->at++;
    if (p->at >= p->end || *p->at == '\n') {
        refuse(p, *close == '>' ? "a path does not end with >" : "an asset does not end with @");
        return NULL;
    }
    char *text = copy(p, start, (size_t)(p->at - start));
    p->at += length;
    return text;
}

/* ---- Values ------------------------------------------------------------------------------------------------------ */

static void add_text(parser *p, mus_usda_value *value, char *text) {
    if (!text || (value && mus_array_push(&value->texts, text))) return;
    mus_free(text);
    if (value) run_out(p);
}

static void add_number(parser *p, mus_usda_value *value, double number) {
    if (value && !mus_array_push(&value->numbers, number)) run_out(p);
}

static void dictionary(parser *p);

/* true, false, None, inf, nan, -inf: an infinite number is one that no reader of meshes takes. */
static void named_value(parser *p, mus_usda_value *value) {
    const char *start;
    size_t length = word(p, &start);
    if (is(start, length, "true") || is(start, length, "True"))
        add_number(p, value, 1);
    else if (is(start, length, "false") || is(start, length, "False"))
        add_number(p, value, 0);
    else if (is(start, length, "inf") || is(start, length, "-inf"))
        add_number(p, value, *start == '-' ? -INFINITY : INFINITY);
    else if (is(start, length, "nan"))
        add_number(p, value, NAN);
    else if (!is(start, length, "None")) {
        p->at = start;
        refuse(p, "a value is expected");
    }
}

/* `value` NULL: it is skipped. */
static void read_value(parser *p, mus_usda_value *value) {
    char c = peek(p);
    if (p->depth > DEEPEST) refuse(p, "lists or prims are nested too deeply");
    if (!is_fine(p)) return;
    if (c == '[' || c == '(') {
        char close = c == '[' ? ']' : ')';
        step(p);
        p->depth++;
        while (is_fine(p) && peek(p) != close) {
            read_value(p, value);
            if (!take(p, ',')) break;
        }
        p->depth--;
        expect(p, close, c == '[' ? "a list does not end with ]" : "a tuple does not end with )");
    } else if (c == '"' || c == '\'') {
        add_text(p, value, string(p));
    } else if (c == '<') {
        add_text(p, value, enclosed(p, ">"));
    } else if (c == '@') {
        add_text(p, value, enclosed(p, strncmp(p->at, "@@@", 3) == 0 ? "@@@" : "@"));
    } else if (c == '{') {
        dictionary(p);
    } else {
        const char *start = p->at, *number = p->at;
        while (p->at < p->end && is_word(*p->at)) p->at++;
        char text[MUS_NUMBER_ROOM + 1], *from = text;
        size_t length = (size_t)(p->at - start);
        double parsed = 0;
        if (length < sizeof text) {
            memcpy(text, start, length), text[length] = 0;
            number = from;
        }
        if (length > 0 && number == from && mus_number_parse(&number, &parsed) && !*number)
            add_number(p, value, parsed);
        else
            p->at = start, named_value(p, value);
    }
}

/* { type name = value ... }: custom data, skipped. */
static void dictionary(parser *p) {
    step(p);
    p->depth++;
    while (is_fine(p) && peek(p) != '}') {
        const char *start;
        while (is_fine(p) && peek(p) != '=') {
            if (*p->at == '"' || *p->at == '\'')
                add_text(p, NULL, string(p));
            else if (word(p, &start) == 0 && !take(p, '[') && !take(p, ']'))
                refuse(p, "a dictionary needs names and values");
        }
        expect(p, '=', "a dictionary needs = between a name and its value");
        if (is_fine(p)) read_value(p, NULL);
        take(p, ',');
    }
    p->depth--;
    expect(p, '}', "a dictionary does not end with }");
}

/* A time code and its colon. */
static double time_code(parser *p) {
    char text[MUS_NUMBER_ROOM + 1];
    const char *number = text;
    double time = 0;
    peek(p);
    const char *start = p->at;
    while (p->at < p->end && is_word(*p->at) && *p->at != ':') p->at++;
    size_t length = (size_t)(p->at - start);
    if (length == 0 || length >= sizeof text) refuse(p, "a time sample needs its time");
    if (!is_fine(p)) return 0;
    memcpy(text, start, length), text[length] = 0;
    if (!mus_number_parse(&number, &time) || *number) refuse(p, "a time sample needs its time");
    expect(p, ':', "a time sample needs a colon after its time");
    return time;
}

static void value_free(mus_usda_value *value) {
    for (int64_t k = 0; k < value->texts.count; k++) mus_free(value->texts.data[k]);
    mus_array_free(&value->texts);
    mus_array_free(&value->numbers);
}

/* { time: value, ... }. The first is the property's value too. */
static void time_samples(parser *p, mus_usda_property *property) {
    expect(p, '{', "time samples need {");
    while (is_fine(p) && peek(p) != '}') {
        mus_usda_sample sample = {.time = time_code(p), .begin = property->sampled.count};
        mus_usda_value value = {{0}, {0}};
        int64_t before = property->samples.count;
        if (is_fine(p) && before > 0 && !(sample.time > property->samples.data[before - 1].time))
            refuse(p, "time samples must be in the order of their times");
        if (is_fine(p)) read_value(p, &value);
        sample.count = value.numbers.count;
        bool stored = is_fine(p) && mus_array_reserve(&property->sampled, sample.begin + sample.count + 1) &&
                      mus_array_push(&property->samples, sample);
        if (is_fine(p) && !stored) run_out(p);
        if (stored && sample.count > 0)
            memcpy(property->sampled.data + sample.begin, value.numbers.data, sizeof(double) * (size_t)sample.count);
        if (stored) property->sampled.count += sample.count;
        if (stored && before == 0)
            property->value = value;
        else
            value_free(&value);
        take(p, ',');
    }
    expect(p, '}', "time samples do not end with }");
}

/* ---- Prims ------------------------------------------------------------------------------------------------------- */

static bool is_one_of(const char *start, size_t length, const char *const *words) {
    while (*words && !is(start, length, *words)) words++;
    return *words != NULL;
}

static const char *const list_operations[] = {"prepend", "append", "add", "delete", "reorder", NULL};

/* What a file takes from elsewhere. */
static const char *const composed[] = {"subLayers",   "references", "payload",     "inherits",
                                       "specializes", "variants",   "variantSets", NULL};

static void refuse_composition(parser *p, const char *start, size_t length) {
    char reason[160];
    snprintf(reason, sizeof reason,
             "'%.*s' composes layers, which is not done here; flatten the file first with usdcat "
             "--flatten FILE -o FLAT.usda",
             (int)length, start);
    refuse(p, reason);
}

/* Takes the texts of a value. */
static void take_schemas(parser *p, mus_usda_prim *prim, mus_usda_value *value) {
    for (int64_t k = 0; k < value->texts.count && is_fine(p); k++) {
        if (!mus_array_push(&prim->schemas, value->texts.data[k]))
            run_out(p);
        else
            value->texts.data[k] = NULL;
    }
}

static void layer_entry(parser *p, const char *start, size_t length, const mus_usda_value *value) {
    double number = value->numbers.count ? value->numbers.data[0] : 0;
    const char *text = value->texts.count ? value->texts.data[0] : "";
    bool meters = is(start, length, "metersPerUnit");
    if (meters || is(start, length, "kilogramsPerUnit")) {
        if (!(number > 0) || !isfinite(number)) refuse(p, "metersPerUnit and kilogramsPerUnit must be > 0");
        *(meters ? &p->layer->meters_per_unit : &p->layer->kilograms_per_unit) = number;
    } else if (is(start, length, "timeCodesPerSecond") || is(start, length, "framesPerSecond")) {
        bool frames = *start == 'f'; /* what counts without the other */
        if (!(number > 0) || !isfinite(number)) refuse(p, "timeCodesPerSecond and framesPerSecond must be > 0");
        if (!frames || !p->has_codes) p->layer->codes_per_second = number;
        p->has_codes |= !frames;
    } else if (is(start, length, "startTimeCode")) {
        p->layer->start_code = number;
    } else if (is(start, length, "endTimeCode")) {
        p->layer->end_code = number;
    } else if (is(start, length, "upAxis")) {
        if (strcmp(text, "Y") != 0 && strcmp(text, "Z") != 0) refuse(p, "upAxis must be \"Y\" or \"Z\"");
        p->layer->z_up = *text == 'Z';
    }
}

/* ( name = value ... ) of the layer (both NULL), of a prim or of a property. */
static void metadata(parser *p, mus_usda_prim *prim, mus_usda_property *property) {
    if (!take(p, '(')) return;
    while (is_fine(p) && peek(p) != ')') {
        const char *start;
        size_t length;
        if (*p->at == '"' || *p->at == '\'') { /* a comment */
            add_text(p, NULL, string(p));
            continue;
        }
        length = word(p, &start);
        bool deletes = is(start, length, "delete");
        if (is_one_of(start, length, list_operations)) length = word(p, &start);
        if (length == 0) refuse(p, "metadata need names and values");
        if (!property && is_one_of(start, length, composed)) refuse_composition(p, start, length);
        expect(p, '=', "metadata need = between a name and its value");
        if (!is_fine(p)) return;
        mus_usda_value value = {{0}, {0}};
        read_value(p, &value);
        if (is_fine(p) && !prim && !property) layer_entry(p, start, length, &value);
        if (is_fine(p) && prim && !deletes && is(start, length, "apiSchemas")) take_schemas(p, prim, &value);
        if (is_fine(p) && prim && is(start, length, "active"))
            prim->inactive = value.numbers.count && value.numbers.data[0] == 0;
        if (is_fine(p) && property && is(start, length, "interpolation") && value.texts.count) {
            mus_free(property->interpolation);
            property->interpolation = value.texts.data[0], value.texts.data[0] = NULL;
        }
        value_free(&value);
        take(p, ',');
    }
    expect(p, ')', "metadata do not end with )");
}

/* [custom] [uniform] type[] name[.timeSamples] [= value] [(metadata)]; the first word has been read. */
static void read_property(parser *p, int32_t owner, const char *start, size_t length) {
    static const char *const before[] = {"custom", "uniform", "varying", "config", "prepend",
                                         "append", "add",     "delete",  NULL};
    while (is_fine(p) && is_one_of(start, length, before)) length = word(p, &start);
    if (length == 0) refuse(p, "a property needs a type and a name");
    if (take(p, '[')) expect(p, ']', "a type's [ needs ]");
    if (is_fine(p)) length = word(p, &start);
    if (is_fine(p) && length == 0) refuse(p, "a property needs a name");
    if (!is_fine(p)) return;
    static const char samples[] = ".timeSamples", connect[] = ".connect", spline[] = ".spline";
    size_t whole = length;
    bool sampled = length > sizeof samples && is(start + length - (sizeof samples - 1), sizeof samples - 1, samples);
    bool skipped =
        (length > sizeof connect && is(start + length - (sizeof connect - 1), sizeof connect - 1, connect)) ||
        (length > sizeof spline && is(start + length - (sizeof spline - 1), sizeof spline - 1, spline));
    if (sampled) whole -= sizeof samples - 1;
    mus_usda_property property = {.line = p->line, .name = copy(p, start, whole)};
    if (take(p, '=')) {
        if (sampled)
            time_samples(p, &property);
        else
            read_value(p, skipped ? NULL : &property.value);
    }
    metadata(p, NULL, &property);
    mus_usda_prim *prim = &p->layer->prims.data[owner];
    bool kept = is_fine(p) && !skipped && property.name;
    if (kept && mus_array_push(&prim->properties, property)) return;
    if (kept) run_out(p);
    mus_free(property.name);
    mus_free(property.interpolation);
    mus_array_free(&property.samples);
    mus_array_free(&property.sampled);
    value_free(&property.value);
}

static void read_prim(parser *p, int32_t parent, bool is_abstract);

/* { properties and prims } */
static void body(parser *p, int32_t prim) {
    expect(p, '{', "a prim needs {");
    p->depth++;
    if (p->depth > DEEPEST) refuse(p, "lists or prims are nested too deeply");
    while (is_fine(p) && peek(p) != '}') {
        const char *start;
        size_t length = word(p, &start);
        if (is(start, length, "def") || is(start, length, "over") || is(start, length, "class")) {
            read_prim(p, prim, *start != 'd');
        } else if (is(start, length, "variantSet")) {
            refuse_composition(p, start, length);
        } else if (is(start, length, "reorder")) {
            word(p, &start);
            expect(p, '=', "reorder needs =");
            if (is_fine(p)) read_value(p, NULL);
        } else {
            read_property(p, prim, start, length);
        }
    }
    p->depth--;
    expect(p, '}', "a prim does not end with }");
}

/* [Type] "name" [(metadata)] { ... }; def, over or class has been read. */
static void read_prim(parser *p, int32_t parent, bool is_abstract) {
    const char *start;
    size_t length = word(p, &start);
    mus_usda_prim prim = {
        .parent = parent, .is_abstract = is_abstract, .line = p->line, .type = copy(p, start, length)};
    if (is_fine(p) && peek(p) != '"' && peek(p) != '\'') refuse(p, "a prim needs a name in quotes");
    if (is_fine(p)) prim.name = string(p);
    metadata(p, &prim, NULL);
    int32_t number = (int32_t)p->layer->prims.count;
    if (is_fine(p) && number == INT32_MAX) refuse(p, "there are too many prims");
    if (prim.type && prim.name && mus_array_push(&p->layer->prims, prim)) {
        body(p, number);
        return;
    }
    if (is_fine(p)) run_out(p);
    for (int64_t k = 0; k < prim.schemas.count; k++) mus_free(prim.schemas.data[k]);
    mus_array_free(&prim.schemas);
    mus_free(prim.type);
    mus_free(prim.name);
}

mus_status mus_usda_parse(const mus_file *file, mus_usda *layer) {
    *layer = (mus_usda){
        .meters_per_unit = 0.01, .kilograms_per_unit = 1, .codes_per_second = 24, .start_code = NAN, .end_code = NAN};
    parser p = {.path = file->path, .at = file->data, .end = file->data + file->size, .line = 1, .layer = layer};
    if (file->size >= 8 && memcmp(file->data, "PXR-USDC", 8) == 0)
        return mus_fail(MUS_STATUS_FORMAT,
                        "%s: it is a binary layer; convert it with usdcat FILE -o FILE.usda, whose text is read",
                        file->path);
    if (file->size < 5 || memcmp(file->data, "#usda", 5) != 0)
        return mus_fail(MUS_STATUS_FORMAT, "%s:1: a layer in text begins with #usda 1.0", file->path);
    metadata(&p, NULL, NULL);
    while (is_fine(&p) && peek(&p)) {
        const char *start;
        size_t length = word(&p, &start);
        if (is(start, length, "def") || is(start, length, "over") || is(start, length, "class")) {
            read_prim(&p, -1, *start != 'd');
        } else if (is(start, length, "reorder")) {
            word(&p, &start);
            expect(&p, '=', "reorder needs =");
            if (is_fine(&p)) read_value(&p, NULL);
        } else {
            p.at = start;
            refuse(&p, "a prim (def, over or class) is expected");
        }
    }
    if (is_fine(&p) && p.at < p.end) refuse(&p, "a zero byte in the text");
    return p.status;
}
