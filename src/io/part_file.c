/* part_file.c: several named surfaces in one file: the frames that a run writes and an audit reads back. */
#include "base/cookie.h"
#include "base/range.h"
#include "base/word.h"
#include "io/soup.h"

#include <math.h>
#include <string.h>
#include <strings.h>

/* ---- Writing ---------------------------------------------------------------------------------------------------- */

static mus_status check_groups(const char *path, const mus_part *part) {
    int64_t faces = 0;
    for (int32_t k = 0; part->groups && k < part->group_count; k++) {
        const mus_mesh_group *group = &part->groups[k];
        if (!mus_word_is_line(group->name) || group->face_count < 0)
            return mus_fail(
                MUS_STATUS_INVALID,
                "%s: group %d of part '%s' needs a name without control characters, blanks at its ends or a "
                "backslash at its end, and >= 0 faces (got '%s', %d)",
                path, k + 1, part->name, group->name ? group->name : "", group->face_count);
        faces += group->face_count;
    }
    if (part->groups && faces != part->face_count)
        return mus_fail(MUS_STATUS_INVALID,
                        "%s: the groups of part '%s' must cover all its %d faces, in order (they have %lld)", path,
                        part->name, part->face_count, (long long)faces);
    return MUS_STATUS_OK;
}

static bool is_single_word(const char *text) {
    return mus_word_is_line(text) && !strchr(text, ' ');
}

/* Everything but the places of its vertices. */
static mus_status check_topology(const char *path, const mus_part *part, int32_t number) {
    if (!mus_word_is_line(part->name))
        return mus_fail(MUS_STATUS_INVALID,
                        "%s: part %d needs a name without control characters, blanks at its ends or a backslash at its "
                        "end (got '%s')",
                        path, number, part->name ? part->name : "");
    if (part->vertex_count < 0 || part->face_count < 0 || (part->face_count > 0 && !part->faces))
        return mus_fail(MUS_STATUS_INVALID, "%s: part '%s' needs arrays for its %d vertices and %d faces", path,
                        part->name, part->vertex_count, part->face_count);
    for (int64_t k = 0; k < 3 * (int64_t)part->face_count; k++)
        if (part->faces[k] < 0 || part->faces[k] >= part->vertex_count)
            return mus_fail(MUS_STATUS_INVALID, "%s: face %lld of part '%s' names vertex %lld, but it has only %d",
                            path, (long long)(k / 3) + 1, part->name, (long long)part->faces[k] + 1,
                            part->vertex_count);
    if (part->uvs && (part->uv_count < 1 || !part->uv_faces))
        return mus_fail(MUS_STATUS_INVALID, "%s: part '%s' needs 'uv_faces' for its texture coordinates", path,
                        part->name);
    for (int64_t k = 0; part->uvs && k < 3 * (int64_t)part->face_count; k++)
        if (part->uv_faces[k] < 0 || part->uv_faces[k] >= part->uv_count)
            return mus_fail(MUS_STATUS_INVALID,
                            "%s: face %lld of part '%s' names texture coordinate %lld, but it has only %d", path,
                            (long long)(k / 3) + 1, part->name, (long long)part->uv_faces[k] + 1, part->uv_count);
    if ((part->picture || part->picture_file) && !(part->picture_place[2] > 0 && part->picture_place[3] > 0))
        return mus_fail(MUS_STATUS_INVALID,
                        "%s: the picture of part '%s' needs a 'picture_place' of sizes > 0 (got %g, %g)", path,
                        part->name, part->picture_place[2], part->picture_place[3]);
    for (const char *c = part->picture_file; c && *c; c++)
        if (*c == '@' || (unsigned char)*c < ' ')
            return mus_fail(MUS_STATUS_INVALID,
                            "%s: the picture_file of part '%s' must be without @ and control characters (got '%s')",
                            path, part->name, part->picture_file);
    if (part->material && !(is_single_word(part->material) && is_single_word(part->material_file)))
        return mus_fail(MUS_STATUS_INVALID,
                        "%s: the material of part '%s' and its file must be words without blanks (got '%s', '%s')",
                        path, part->name, part->material, part->material_file ? part->material_file : "");
    return check_groups(path, part);
}

/* The rest shape and the seams of a cloth, for USD. */
static mus_status check_cloth(const char *path, const mus_part *parts, int32_t count, const mus_part *part) {
    const mus_rest_shape *rest = part->cloth ? part->cloth->rest : NULL;
    bool valid = !part->cloth ||
                 (part->cloth->material && rest && rest->face_count == part->face_count && part->cloth->thickness > 0);
    for (int64_t k = 0; valid && rest && k < 3 * (int64_t)rest->face_count; k++)
        valid = rest->faces[k] >= 0 && rest->faces[k] < rest->point_count;
    if (!valid)
        return mus_fail(MUS_STATUS_INVALID,
                        "%s: the cloth of part '%s' needs a material, a thickness > 0 and a rest shape of its %d faces",
                        path, part->name, part->face_count);
    for (int32_t k = 0; k < part->seam_count; k++) {
        const mus_part_seam *seam = &part->seams[k];
        valid = seam->other >= 0 && seam->other < count;
        for (int32_t s = 0; valid && s < seam->count; s++)
            valid = seam->stitches[s].vertex >= 0 && seam->stitches[s].vertex < part->vertex_count &&
                    seam->stitches[s].onto[0] >= 0 && seam->stitches[s].onto[0] < parts[seam->other].vertex_count;
        if (!valid)
            return mus_fail(MUS_STATUS_INVALID, "%s: seam %d of part '%s' needs another part and vertices of both",
                            path, k + 1, part->name);
    }
    return MUS_STATUS_OK;
}

static mus_status check_part(const char *path, const mus_part *part, int32_t number) {
    mus_status status = check_topology(path, part, number);
    if (status != MUS_STATUS_OK) return status;
    if (part->vertex_count > 0 && !part->vertices)
        return mus_fail(MUS_STATUS_INVALID, "%s: part '%s' needs arrays for its %d vertices and %d faces", path,
                        part->name, part->vertex_count, part->face_count);
    for (int64_t k = 0; k < 3 * (int64_t)part->vertex_count; k++)
        if (!isfinite(part->vertices[k]))
            return mus_fail(MUS_STATUS_INVALID, "%s: vertex %lld of part '%s' must be finite (got %s)", path,
                            (long long)(k / 3) + 1, part->name, mus_word_of_number(part->vertices[k]).text);
    for (int64_t k = 0; k < 3 * (int64_t)part->vertex_count; k++)
        if (!mus_is_length(part->vertices[k]))
            return mus_fail(MUS_STATUS_INVALID, "%s: vertex %lld of part '%s' must lie within +-%g m (got %g)", path,
                            (long long)(k / 3) + 1, part->name, MUS_LARGEST_LENGTH, part->vertices[k]);
    return MUS_STATUS_OK;
}

static bool field_is_named(const mus_part_field *field) {
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_";
    return field->name && *field->name && field->name[strspn(field->name, letters)] == 0;
}

/* Fields of one name have equal numbers of components, and a part has a name once. */
static mus_status check_fields(const char *path, const mus_part *parts, int32_t part) {
    const mus_part *p = &parts[part];
    if (p->field_count < 0 || (p->field_count > 0 && !p->fields))
        return mus_fail(MUS_STATUS_INVALID, "%s: part '%s' needs an array for its %d fields", path, p->name,
                        p->field_count);
    for (int32_t k = 0; k < p->field_count; k++) {
        const mus_part_field *f = &p->fields[k];
        if (!field_is_named(f))
            return mus_fail(MUS_STATUS_INVALID,
                            "%s: field %d of part '%s' needs a name of letters, digits and underscores (got '%s')",
                            path, k + 1, p->name, f->name ? f->name : "");
        if ((f->components != 1 && f->components != 3) || (p->vertex_count > 0 && !f->values))
            return mus_fail(MUS_STATUS_INVALID,
                            "%s: field '%s' of part '%s' needs 1 or 3 components and values (got %d)", path, f->name,
                            p->name, f->components);
        for (int32_t i = 0; i <= part; i++)
            for (int32_t j = 0; j < (i < part ? parts[i].field_count : k); j++) {
                const mus_part_field *other = &parts[i].fields[j];
                if (strcmp(other->name, f->name) != 0 || (i < part && other->components == f->components)) continue;
                return mus_fail(MUS_STATUS_INVALID, "%s: field '%s' of part '%s' is there twice, or with %d components",
                                path, f->name, p->name, other->components);
            }
    }
    return MUS_STATUS_OK;
}

mus_status mus_parts_save(const mus_part *parts, int32_t count, const char *path) {
    int64_t vertices = 0, faces = 0;
    for (int32_t i = 0; i < count; i++) {
        mus_status status = check_part(path, &parts[i], i + 1);
        if (status == MUS_STATUS_OK) status = check_fields(path, parts, i);
        if (status == MUS_STATUS_OK) status = check_cloth(path, parts, count, &parts[i]);
        if (status != MUS_STATUS_OK) return status;
        vertices += parts[i].vertex_count;
        faces += parts[i].face_count;
    }
    if (vertices > INT32_MAX / 3 || faces > INT32_MAX / 3)
        return mus_fail(MUS_STATUS_INVALID,
                        "%s: the parts have more vertices or faces than can be numbered (%lld, %lld)", path,
                        (long long)vertices, (long long)faces);
    return mus_parts_write(path, parts, count, NULL);
}

mus_parts_animation mus_parts_animation_default(void) {
    return (mus_parts_animation){.cookie = MUS_COOKIE_PARTS_ANIMATION, .fps = 30};
}

static mus_status check_animation(const char *path, const mus_parts_animation *a) {
    mus_status status = mus_check_cookie(a->cookie, MUS_COOKIE_PARTS_ANIMATION, path, "mus_parts_animation");
    if (status != MUS_STATUS_OK) return status;
    if (!(a->fps > 0) || !mus_is_value(a->fps))
        return mus_fail(MUS_STATUS_INVALID, "%s: field 'fps' must be > 0 and at most %g (got %s)", path,
                        MUS_LARGEST_VALUE, mus_word_of_number(a->fps).text);
    if (a->frame_count < 1)
        return mus_fail(MUS_STATUS_INVALID, "%s: field 'frame_count' must be at least 1 (got %lld)", path,
                        (long long)a->frame_count);
    if (a->part_count < 0 || (a->part_count > 0 && (!a->parts || !a->frames || !a->read)))
        return mus_fail(MUS_STATUS_INVALID, "%s: %d parts need the fields 'parts', 'frames' and 'read'", path,
                        a->part_count);
    for (int32_t k = 0; k < a->part_count; k++) {
        const mus_part_frames *f = &a->frames[k];
        status = check_topology(path, &a->parts[k], k + 1);
        if (status == MUS_STATUS_OK) status = check_cloth(path, a->parts, a->part_count, &a->parts[k]);
        if (status != MUS_STATUS_OK) return status;
        if (f->first_frame < 0 || f->frame_count < 1 || f->frame_count > a->frame_count - f->first_frame)
            return mus_fail(MUS_STATUS_INVALID,
                            "%s: part '%s' must exist in frames between 0 and %lld (got %lld from frame %lld on)", path,
                            a->parts[k].name, (long long)a->frame_count - 1, (long long)f->frame_count,
                            (long long)f->first_frame);
    }
    return MUS_STATUS_OK;
}

mus_status mus_parts_save_animation(const mus_parts_animation *animation, const char *path) {
    bool alembic = strcasecmp(mus_file_extension(path), "abc") == 0;
    mus_writer writer;
    if (!alembic && strcasecmp(mus_file_extension(path), "usda") != 0)
        return mus_fail(MUS_STATUS_INVALID, "%s: the extension of an animation must be .usda or .abc", path);
    mus_status status = check_animation(path, animation);
    if (status == MUS_STATUS_OK) status = mus_writer_open(&writer, path);
    if (status != MUS_STATUS_OK) return status;
    mus_c_locale locale = mus_c_locale_enter();
    status = alembic ? mus_abc_write_animation(&writer, animation) : mus_usd_write_animation(&writer, animation);
    mus_c_locale_leave(locale);
    return mus_writer_close(&writer, status);
}

/* ---- Reading ---------------------------------------------------------------------------------------------------- */

struct mus_parts {
    MUS_ARRAY(mus_part) parts;
};

void mus_parts_destroy(mus_parts *parts) {
    if (!parts) return;
    for (int64_t i = 0; i < parts->parts.count; i++) {
        mus_part *part = &parts->parts.data[i]; /* made here, so writable */
        mus_free((char *)part->name);
        mus_free((double *)part->vertices);
        mus_free((int32_t *)part->faces);
    }
    mus_array_free(&parts->parts);
    mus_free(parts);
}

const mus_part *mus_parts_get_all(const mus_parts *parts, int32_t *count) {
    *count = (int32_t)parts->parts.count;
    return parts->parts.data;
}

typedef struct range {
    int32_t vertex, vertex_end, face, face_end;
    const char *name;
} range;

static void sift_down(int32_t *heap, int64_t at, int64_t count) {
    for (int64_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && heap[child + 1] > heap[child]) child++;
        if (heap[at] >= heap[child]) return;
        int32_t kept = heap[at];
        heap[at] = heap[child];
        heap[child] = kept;
    }
}

static void heap_sort(int32_t *items, int64_t count) { /* heap sort: no slow cases, no memory */
    for (int64_t i = count / 2; i-- > 0;) sift_down(items, i, count);
    for (int64_t left = count; left-- > 1;) {
        int32_t largest = items[0];
        items[0] = items[left];
        items[left] = largest;
        sift_down(items, 0, left);
    }
}

/* The input of a file's parts, and scratch memory of one part. */
typedef struct splitter {
    const mus_soup *soup;
    int32_t *local;             /* of each of the file's vertices: 0, or its number in this part + 1 */
    MUS_ARRAY(int32_t) foreign; /* vertices that this part's faces use and that are declared elsewhere */
} splitter;

static mus_status find_foreign(splitter *s, const range *r) {
    s->foreign.count = 0;
    for (int64_t k = 3 * (int64_t)r->face; k < 3 * (int64_t)r->face_end; k++) {
        int32_t v = s->soup->faces.data[k];
        if ((v >= r->vertex && v < r->vertex_end) || s->local[v] != 0) continue;
        if (!mus_array_push(&s->foreign, v)) return MUS_STATUS_NO_MEMORY;
        s->local[v] = 1;
    }
    heap_sort(s->foreign.data, s->foreign.count);
    return MUS_STATUS_OK;
}

static void fill_part(splitter *s, const range *r, double *vertices, int32_t *corners) {
    int32_t next = 0;
    int64_t foreign = 0;
    for (int32_t v = r->vertex; v <= r->vertex_end; v++) {
        /* Foreign vertices are all before the first own one or all after the last. */
        while (foreign < s->foreign.count && (v == r->vertex_end || s->foreign.data[foreign] < v)) {
            int32_t u = s->foreign.data[foreign++];
            memcpy(vertices + 3 * (size_t)next, s->soup->vertices.data + 3 * (size_t)u, 3 * sizeof *vertices);
            s->local[u] = ++next;
        }
        if (v == r->vertex_end) break;
        memcpy(vertices + 3 * (size_t)next, s->soup->vertices.data + 3 * (size_t)v, 3 * sizeof *vertices);
        s->local[v] = ++next;
    }
    const int32_t *faces = s->soup->faces.data + 3 * (size_t)r->face;
    for (int64_t k = 0; k < 3 * (int64_t)(r->face_end - r->face); k++) corners[k] = s->local[faces[k]] - 1;
    for (int64_t i = 0; i < s->foreign.count; i++) s->local[s->foreign.data[i]] = 0;
    memset(s->local + r->vertex, 0, (size_t)(r->vertex_end - r->vertex) * sizeof *s->local);
}

/* The part's vertices are those declared under it, and any others that its faces use, all in the file's order. */
static mus_status add_part(mus_parts *parts, splitter *s, const range *r) {
    mus_status status = find_foreign(s, r);
    if (status != MUS_STATUS_OK) return status;
    int32_t count = r->vertex_end - r->vertex + (int32_t)s->foreign.count, faces = r->face_end - r->face;
    mus_part part = {.name = mus_copy_string(r->name), .vertex_count = count, .face_count = faces};
    double *vertices = mus_new((size_t)count * 3 * sizeof *vertices);
    int32_t *corners = mus_new((size_t)faces * 3 * sizeof *corners);
    part.vertices = vertices;
    part.faces = corners;
    if (!part.name || !vertices || !corners || !mus_array_push(&parts->parts, part)) {
        mus_free((char *)part.name);
        mus_free(vertices);
        mus_free(corners);
        return MUS_STATUS_NO_MEMORY;
    }
    fill_part(s, r, vertices, corners);
    return MUS_STATUS_OK;
}

/* "cloth" for "a/cloth.obj": the name of the part before the first group, or of a file without any. */
static mus_status stem_of(const char *path, char **stem) {
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    size_t length = strlen(name) - strlen(mus_file_extension(path));
    if (length > 0 && name[length - 1] == '.') length--;
    *stem = mus_copy_string(name);
    if (!*stem) return MUS_STATUS_NO_MEMORY;
    (*stem)[length] = 0;
    return MUS_STATUS_OK;
}

static mus_status split_objects(mus_parts *parts, const mus_soup *soup, const char *stem) {
    int64_t objects = soup->objects.count;
    int32_t vertices = (int32_t)(soup->vertices.count / 3), faces = (int32_t)(soup->faces.count / 3);
    splitter s = {.soup = soup, .local = mus_new((size_t)vertices * sizeof *s.local)};
    if (!s.local) return MUS_STATUS_NO_MEMORY;
    mus_status status = MUS_STATUS_OK;
    for (int64_t k = -1; status == MUS_STATUS_OK && k < objects; k++) {
        const mus_soup_object *here = k >= 0 ? &soup->objects.data[k] : NULL;
        const mus_soup_object *next = k + 1 < objects ? &soup->objects.data[k + 1] : NULL;
        range r = {here ? here->first_vertex : 0, next ? next->first_vertex : vertices, here ? here->first_face : 0,
                   next ? next->first_face : faces, here ? here->name : stem};
        if (r.face_end > r.face) status = add_part(parts, &s, &r);
    }
    mus_free(s.local);
    mus_array_free(&s.foreign);
    return status;
}

mus_status mus_parts_load(const char *path, mus_parts **parts) {
    *parts = NULL;
    mus_soup soup;
    mus_status status = mus_soup_read(path, &soup);
    if (status != MUS_STATUS_OK) return status;
    status = mus_load_options_apply(path, NULL, soup.vertices.data, soup.vertices.count / 3);
    if (status != MUS_STATUS_OK) {
        mus_soup_free(&soup);
        return status;
    }
    char *stem = NULL;
    mus_parts *made = mus_new(sizeof *made);
    status = made ? stem_of(path, &stem) : MUS_STATUS_NO_MEMORY;
    if (status == MUS_STATUS_OK) status = split_objects(made, &soup, stem);
    mus_free(stem);
    mus_soup_free(&soup);
    if (status == MUS_STATUS_OK)
        *parts = made;
    else
        mus_parts_destroy(made);
    return status;
}
