/* usd_transform.c: which prims are there, and the places that they give to what is below them: xformOps. USD multiplies
 * row vectors from the left; here a transform is a 3 x 4 matrix for column vectors. */
#include "io/usd_stage.h"
#include "muslin/math.h"

#include <string.h>

static void identity(double m[12]) {
    for (int k = 0; k < 12; k++) m[k] = k % 5 == 0;
}

/* m = a b */
static void multiply(const double a[12], const double b[12], double m[12]) {
    double product[12];
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 4; c++) {
            product[4 * r + c] = c == 3 ? a[4 * r + 3] : 0;
            for (int k = 0; k < 3; k++) product[4 * r + c] += a[4 * r + k] * b[4 * k + c];
        }
    memcpy(m, product, sizeof product);
}

static void rotate(int axis, double degrees, double m[12]) {
    double angle = degrees * (3.14159265358979323846 / 180), c = mus_cos(angle), s = mus_sin(angle);
    int a = (axis + 1) % 3, b = (axis + 2) % 3;
    identity(m);
    m[4 * a + a] = c, m[4 * a + b] = -s, m[4 * b + a] = s, m[4 * b + b] = c;
}

/* False for the inverse of a matrix without one. */
static bool invert(double m[12]) {
    double n[12], det = 0;
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) {
            int r1 = (r + 1) % 3, r2 = (r + 2) % 3, c1 = (c + 1) % 3, c2 = (c + 2) % 3;
            n[4 * c + r] = m[4 * r1 + c1] * m[4 * r2 + c2] - m[4 * r1 + c2] * m[4 * r2 + c1];
        }
    for (int k = 0; k < 3; k++) det += m[k] * n[4 * k];
    if (!(det > 0 || det < 0)) return false;
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) n[4 * r + c] /= det;
    for (int r = 0; r < 3; r++) n[4 * r + 3] = -(n[4 * r] * m[3] + n[4 * r + 1] * m[7] + n[4 * r + 2] * m[11]);
    memcpy(m, n, sizeof n);
    return true;
}

/* The matrix of one operation by its name without "xformOp:" and suffix. */
static bool operation(const char *kind, const double *v, int64_t count, double m[12]) {
    static const char axes[] = "XYZ";
    identity(m);
    if (strcmp(kind, "translate") == 0 && count == 3) {
        for (int k = 0; k < 3; k++) m[4 * k + 3] = v[k];
    } else if (strcmp(kind, "scale") == 0 && count == 3) {
        for (int k = 0; k < 3; k++) m[5 * k] = v[k];
    } else if (strcmp(kind, "transform") == 0 && count == 16) {
        for (int r = 0; r < 3; r++)
            for (int c = 0; c < 4; c++) m[4 * r + c] = v[4 * c + r];
    } else if (strcmp(kind, "orient") == 0 && count == 4) { /* w x y z */
        double q[4], size = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2] + v[3] * v[3]);
        if (!(size > 0)) return false;
        for (int k = 0; k < 4; k++) q[k] = v[k] / size;
        m3 rotation = m3_from_quaternion(q);
        for (int r = 0; r < 3; r++)
            for (int c = 0; c < 3; c++) m[4 * r + c] = v3_get(rotation.r[r], c);
    } else if (strncmp(kind, "rotate", 6) == 0) { /* about the first axis first */
        size_t letters = strlen(kind + 6);
        if ((letters != 1 && letters != 3) || count != (int64_t)letters) return false;
        for (size_t k = 0; k < letters; k++) {
            const char *axis = strchr(axes, kind[6 + k]);
            double next[12];
            if (!axis || !*axis) return false;
            rotate((int)(axis - axes), v[letters == 1 ? 0 : axis - axes], next);
            multiply(next, m, m);
        }
    } else {
        return false;
    }
    return true;
}

/* A quaternion w x y z between two samples, on the shorter way and at a constant rate (Shoemake 1985). */
static void turn_between(const mus_usda_span *span, double q[4]) {
    double a[4], b[4], size[2] = {0, 0}, cosine = 0, sum2 = 0, off2 = 0;
    for (int k = 0; k < 4; k++)
        size[0] += span->before[k] * span->before[k], size[1] += span->after[k] * span->after[k];
    for (int k = 0; k < 4; k++) a[k] = span->before[k] / sqrt(size[0]), b[k] = span->after[k] / sqrt(size[1]);
    for (int k = 0; k < 4; k++) cosine += a[k] * b[k];
    for (int k = 0; k < 4; k++) {
        if (cosine < 0) b[k] = -b[k];
        sum2 += (a[k] + b[k]) * (a[k] + b[k]), off2 += (a[k] - b[k]) * (a[k] - b[k]);
    }
    double angle = 2 * mus_atan2(sqrt(off2), sqrt(sum2)), sine = mus_sin(angle);
    double first = 1 - span->share, second = span->share;
    if (sine > 1e-9) first = mus_sin(first * angle) / sine, second = mus_sin(second * angle) / sine;
    for (int k = 0; k < 4; k++) q[k] = first * a[k] + second * b[k];
}

static mus_status place(const char *path, const mus_usda_prim *prim, double time, double m[12]) {
    mus_usda_room room = {{0}};
    const mus_usda_property *order = mus_usda_find(prim, "xformOpOrder");
    for (int64_t k = 0; order && k < order->value.texts.count; k++) {
        const char *name = order->value.texts.data[k];
        if (strcmp(name, "!resetXformStack!") == 0) {
            identity(m);
            continue;
        }
        bool inverse = strncmp(name, "!invert!", 8) == 0;
        if (inverse) name += 8;
        const mus_usda_property *op = isnan(time) ? mus_usda_find(prim, name) : mus_usda_find_sampled(prim, name);
        int64_t count = 0;
        const double *numbers = op ? mus_usda_numbers_at(op, time, &room, &count) : NULL;
        char kind[24] = "";
        double own[12];
        if (strncmp(name, "xformOp:", 8) == 0) {
            size_t length = strcspn(name + 8, ":");
            if (length < sizeof kind) memcpy(kind, name + 8, length), kind[length] = 0;
        }
        if (op && !numbers && count > 0) return MUS_STATUS_NO_MEMORY;
        mus_usda_span span = op ? mus_usda_span_at(op, time) : (mus_usda_span){.share = 0};
        double turned[4];
        if (span.share > 0 && count == 4 && strcmp(kind, "orient") == 0) {
            turn_between(&span, turned);
            numbers = turned;
        }
        bool known = numbers && operation(kind, numbers, count, own) && !(inverse && !invert(own));
        mus_array_free(&room.numbers);
        if (!known)
            return mus_fail(MUS_STATUS_FORMAT,
                            "%s:%lld: prim '%s' has an operation '%s' without a value that fits; translate, scale, "
                            "rotateX to rotateZYX, orient and transform are read",
                            path, (long long)prim->line, prim->name, order->value.texts.data[k]);
        multiply(m, own, m);
    }
    for (int k = 0; k < 12; k++)
        if (!isfinite(m[k]))
            return mus_fail(MUS_STATUS_FORMAT, "%s:%lld: the transform of prim '%s' is not finite", path,
                            (long long)prim->line, prim->name);
    return MUS_STATUS_OK;
}

static const mus_usda_prim *prim_of(const mus_usda *layer, int32_t k) {
    return &layer->prims.data[k];
}

/* Whether a prim and all around it are there: no class, over, inactive prim or prototype of an instancer. */
bool mus_usd_is_present(const mus_usda *layer, int32_t k) {
    for (int32_t p = k; p >= 0; p = prim_of(layer, p)->parent)
        if (prim_of(layer, p)->inactive || prim_of(layer, p)->is_abstract ||
            (p != k && strcmp(prim_of(layer, p)->type, "PointInstancer") == 0))
            return false;
    return true;
}

/* In the unit and axis of the stage: the places of the prims around it and its own. */
static mus_status place_on_stage(const char *path, const mus_usda *layer, int32_t k, double time, double m[12]) {
    identity(m);
    if (k < 0) return MUS_STATUS_OK;
    mus_status status = place_on_stage(path, layer, prim_of(layer, k)->parent, time, m);
    return status == MUS_STATUS_OK ? place(path, prim_of(layer, k), time, m) : status;
}

/* In m, y up. */
mus_status mus_usd_place_of(const char *path, const mus_usda *layer, int32_t k, double time, double m[12]) {
    double scale = layer->meters_per_unit, stage[12] = {scale};
    stage[layer->z_up ? 6 : 5] = scale; /* y is y, or z */
    stage[layer->z_up ? 9 : 10] = layer->z_up ? -scale : scale;
    mus_status status = place_on_stage(path, layer, k, time, m);
    multiply(stage, m, m);
    return status;
}

const char *mus_usd_name_of(const mus_usda_prim *prim) {
    const mus_usda_property *own = mus_usda_find(prim, "muslin:name");
    const char *name = own && own->value.texts.count ? own->value.texts.data[0] : "";
    if (strncmp(name, "cloth:", 6) == 0) name += 6;
    if (strncmp(name, "obstacle:", 9) == 0) name += 9;
    return *name ? name : prim->name;
}

static void take_times(const mus_usda_property *property, bool *moves, double *first, double *last) {
    if (!property || property->samples.count == 0) return;
    *first = fmin(*first, property->samples.data[0].time);
    *last = fmax(*last, property->samples.data[property->samples.count - 1].time);
    *moves |= property->samples.count > 1;
}

bool mus_usd_moves(const mus_usda *layer, int32_t k, double *first, double *last) {
    bool moves = false;
    take_times(mus_usda_find_sampled(prim_of(layer, k), "points"), &moves, first, last);
    for (int32_t p = k; p >= 0; p = prim_of(layer, p)->parent) {
        const mus_usda_property *order = mus_usda_find(prim_of(layer, p), "xformOpOrder");
        bool reset = false;
        for (int64_t i = 0; order && i < order->value.texts.count; i++) {
            const char *name = order->value.texts.data[i];
            reset |= strcmp(name, "!resetXformStack!") == 0;
            if (strncmp(name, "!invert!", 8) == 0) name += 8;
            take_times(mus_usda_find_sampled(prim_of(layer, p), name), &moves, first, last);
        }
        if (reset) break;
    }
    return moves;
}
