/* vtp.c: writing VTK's PolyData as XML (.vtp) for ParaView and similar programs: a header as text, then the numbers
 * as in memory, little endian, each array after its size in bytes. */
#include "io/soup.h"

#include <math.h>
#include <string.h>

/* The arrays in the order in which they are appended, the last one only where a part has groups; then the fields. */
enum { POINTS, CORNERS, ENDS, PARTS, GROUPS, ARRAYS };

/* The next field, in the order of parts, with a name that no earlier one has; false: none. Start with zeros. */
typedef struct field_cursor {
    int32_t part, field;
} field_cursor;

static const mus_part_field *field_named(const mus_part *part, const char *name) {
    for (int32_t k = 0; k < part->field_count; k++)
        if (strcmp(part->fields[k].name, name) == 0) return &part->fields[k];
    return NULL;
}

static const mus_part_field *next_field(field_cursor *at, const mus_part *parts, int32_t count) {
    for (; at->part < count; at->part++, at->field = 0)
        while (at->field < parts[at->part].field_count) {
            const mus_part_field *field = &parts[at->part].fields[at->field++];
            int32_t earlier = 0;
            while (earlier < at->part && !field_named(&parts[earlier], field->name)) earlier++;
            if (earlier == at->part) return field;
        }
    return NULL;
}

static void attribute(mus_writer *w, const char *text, int64_t value) {
    mus_writer_text(w, text);
    mus_writer_integer(w, value);
    mus_writer_bytes(w, "\"", 1);
}

static void array(mus_writer *w, const char *type, const char *name, int components, int64_t offset) {
    mus_writer_text(w, "<DataArray type=\"");
    mus_writer_text(w, type);
    mus_writer_text(w, "\" Name=\"");
    mus_writer_text(w, name);
    attribute(w, "\" NumberOfComponents=\"", components);
    attribute(w, " format=\"appended\" offset=\"", offset);
    mus_writer_text(w, "/>\n");
}

/* As VTK stores strings in text: the codes of their bytes, each terminated by a zero. */
static void string(mus_writer *w, const char *text) {
    for (const char *c = text; c && *c; c++) {
        mus_writer_integer(w, (unsigned char)*c);
        mus_writer_bytes(w, " ", 1);
    }
    mus_writer_text(w, "0\n");
}

static void names(mus_writer *w, const mus_part *parts, int32_t count, int64_t groups) {
    attribute(w, "<FieldData>\n<DataArray type=\"String\" Name=\"names\" NumberOfTuples=\"", count);
    mus_writer_text(w, " format=\"ascii\">\n");
    for (int32_t i = 0; i < count; i++) string(w, parts[i].name);
    if (groups > 0) {
        attribute(w, "</DataArray>\n<DataArray type=\"String\" Name=\"group_names\" NumberOfTuples=\"", groups);
        mus_writer_text(w, " format=\"ascii\">\n");
        for (int32_t i = 0; i < count; i++)
            for (int32_t k = 0; parts[i].groups && k < parts[i].group_count; k++) string(w, parts[i].groups[k].name);
    }
    mus_writer_text(w, "</DataArray>\n</FieldData>\n");
}

static void le_double(mus_writer *w, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    mus_writer_le64(w, bits);
}

static void append_field(mus_writer *w, const mus_part *parts, int32_t count, const mus_part_field *field,
                         int64_t vertices) {
    mus_writer_le64(w, (uint64_t)(8 * field->components * vertices));
    for (int32_t i = 0; i < count; i++) {
        const mus_part_field *own = field_named(&parts[i], field->name);
        for (int64_t k = 0; k < (int64_t)field->components * parts[i].vertex_count; k++)
            le_double(w, own ? own->values[k] : (double)NAN);
    }
}

static void append_arrays(mus_writer *w, const mus_part *parts, int32_t count, const int64_t sizes[ARRAYS]) {
    mus_writer_le64(w, (uint64_t)sizes[POINTS]);
    for (int32_t i = 0; i < count; i++)
        for (int64_t k = 0; k < 3 * (int64_t)parts[i].vertex_count; k++) le_double(w, parts[i].vertices[k]);
    mus_writer_le64(w, (uint64_t)sizes[CORNERS]);
    uint32_t first = 0;
    for (int32_t i = 0; i < count; i++) {
        for (int64_t k = 0; k < 3 * (int64_t)parts[i].face_count; k++)
            mus_writer_le32(w, first + (uint32_t)parts[i].faces[k]);
        first += (uint32_t)parts[i].vertex_count;
    }
    mus_writer_le64(w, (uint64_t)sizes[ENDS]);
    uint32_t end = 0;
    for (int32_t i = 0; i < count; i++)
        for (int32_t f = 0; f < parts[i].face_count; f++) mus_writer_le32(w, end += 3);
    mus_writer_le64(w, (uint64_t)sizes[PARTS]);
    for (int32_t i = 0; i < count; i++)
        for (int32_t f = 0; f < parts[i].face_count; f++) mus_writer_le32(w, (uint32_t)i);
    if (sizes[GROUPS] == 0) return;
    mus_writer_le64(w, (uint64_t)sizes[GROUPS]);
    int32_t number = 0;
    for (int32_t i = 0; i < count; i++) {
        for (int32_t f = 0; !parts[i].groups && f < parts[i].face_count; f++) mus_writer_le32(w, UINT32_MAX); /* -1 */
        for (int32_t k = 0; parts[i].groups && k < parts[i].group_count; k++, number++)
            for (int32_t f = 0; f < parts[i].groups[k].face_count; f++) mus_writer_le32(w, (uint32_t)number);
    }
}

void mus_vtp_write(mus_writer *w, const mus_part *parts, int32_t count) {
    int64_t vertices = 0, faces = 0, groups = 0;
    for (int32_t i = 0; i < count; i++) {
        vertices += parts[i].vertex_count, faces += parts[i].face_count;
        if (parts[i].groups) groups += parts[i].group_count;
    }
    const int64_t sizes[ARRAYS] = {24 * vertices, 12 * faces, 4 * faces, 4 * faces, groups > 0 ? 4 * faces : 0};
    int64_t offsets[ARRAYS] = {0};
    for (int k = 1; k < ARRAYS; k++) offsets[k] = offsets[k - 1] + 8 + sizes[k - 1];
    mus_writer_text(w,
                    "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\" "
                    "header_type=\"UInt64\">\n<PolyData>\n");
    names(w, parts, count, groups);
    attribute(w, "<Piece NumberOfPoints=\"", vertices);
    attribute(w, " NumberOfVerts=\"0\" NumberOfLines=\"0\" NumberOfStrips=\"0\" NumberOfPolys=\"", faces);
    mus_writer_text(w, ">\n<Points>\n");
    array(w, "Float64", "Points", 3, offsets[POINTS]);
    mus_writer_text(w, "</Points>\n<Polys>\n");
    array(w, "Int32", "connectivity", 1, offsets[CORNERS]);
    array(w, "Int32", "offsets", 1, offsets[ENDS]);
    mus_writer_text(w, "</Polys>\n<CellData Scalars=\"part\">\n");
    array(w, "Int32", "part", 1, offsets[PARTS]);
    if (sizes[GROUPS] > 0) array(w, "Int32", "group", 1, offsets[GROUPS]);
    mus_writer_text(w, "</CellData>\n<PointData>\n");
    int64_t offset = offsets[GROUPS] + (sizes[GROUPS] > 0 ? 8 + sizes[GROUPS] : 0);
    const mus_part_field *field;
    for (field_cursor at = {0, 0}; (field = next_field(&at, parts, count));) {
        array(w, "Float64", field->name, field->components, offset);
        offset += 8 + 8 * field->components * vertices;
    }
    mus_writer_text(w, "</PointData>\n</Piece>\n</PolyData>\n<AppendedData encoding=\"raw\">\n_");
    append_arrays(w, parts, count, sizes);
    for (field_cursor at = {0, 0}; (field = next_field(&at, parts, count));)
        append_field(w, parts, count, field, vertices);
    mus_writer_text(w, "\n</AppendedData>\n</VTKFile>\n");
}
