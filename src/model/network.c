/* network.c: elements of a particle network from the rest shape of a grid. Its constants are those of a sheet: N/m is
 * an elastic modulus times the thickness, N m that times the thickness cubed by 12; the weight is the density. */
#include "model/network.h"
#include "model/sheet.h"

#include <math.h>

mus_status mus_network_blank(const mus_cloth *cloth, mus_network **out) {
    int32_t nu = cloth->grid_nodes[0], nv = cloth->grid_nodes[1];
    *out = NULL;
    if (nu < 2 || nv < 2 || (int64_t)nu * nv != cloth->vertex_count)
        return mus_fail(MUS_STATUS_INVALID,
                        "cloth '%s': the model 'square_network' needs the square elements of a grid mesh; make the "
                        "mesh with muslin.mesh.grid, or choose another model",
                        cloth->name);
    mus_network *w = mus_new(sizeof *w);
    if (!w) return MUS_STATUS_NO_MEMORY;
    size_t n = (size_t)cloth->vertex_count;
    w->links = mus_new(sizeof *w->links * 2 * n);
    w->cells = mus_new(sizeof *w->cells * n);
    w->joints = mus_new(sizeof *w->joints * 2 * n);
    if (!w->links || !w->cells || !w->joints) {
        mus_network_free(w);
        return MUS_STATUS_NO_MEMORY;
    }
    for (int weft = 0; weft < 2; weft++)
        for (int32_t j = 0; j < nv; j++)
            for (int32_t i = 0; i < nu; i++) {
                int32_t at = i + j * nu, step = weft ? nu : 1, left = weft ? nv - 1 - j : nu - 1 - i;
                if (left > 0) w->links[w->link_count++] = (mus_link){.a = at, .b = at + step};
                if (left > 1) w->joints[w->joint_count++] = (mus_joint){.vertex = {at, at + step, at + 2 * step}};
            }
    for (int32_t j = 0; j + 1 < nv; j++)
        for (int32_t i = 0; i + 1 < nu; i++) {
            int32_t at = i + j * nu;
            w->cells[w->cell_count++] = (mus_cell){.vertex = {at, at + 1, at + nu, at + nu + 1}};
        }
    *out = w;
    return MUS_STATUS_OK;
}

/* Width of the strip that a yarn through a node represents: half the distance to its neighbors across. */
static double width_at(const v3 *x, const int32_t nodes[2], int32_t at, bool weft) {
    int32_t step = weft ? 1 : nodes[0], place = weft ? at % nodes[0] : at / nodes[0], last = nodes[weft ? 0 : 1] - 1;
    double width = 0;
    if (place > 0) width += 0.5 * v3_length(v3_sub(x[at], x[at - step]));
    if (place < last) width += 0.5 * v3_length(v3_sub(x[at + step], x[at]));
    return width;
}

static void fill(const mus_cloth *cloth, const v3 *x, mus_network *w) {
    const mus_material *m = &cloth->material;
    const int32_t *nodes = cloth->grid_nodes;
    double bend_warp = m->bending_warp < 0 ? m->bending : m->bending_warp;
    double bend_weft = m->bending_weft < 0 ? m->bending : m->bending_weft;
    for (int32_t k = 0; k < w->link_count; k++) {
        mus_link *l = &w->links[k];
        bool weft = l->b - l->a != 1;
        double width = 0.5 * (width_at(x, nodes, l->a, weft) + width_at(x, nodes, l->b, weft));
        l->rest = v3_length(v3_sub(x[l->b], x[l->a]));
        l->stiffness = (weft ? m->stretch_weft : m->stretch_warp) * width / l->rest;
    }
    for (int32_t k = 0; k < w->cell_count; k++) {
        mus_cell *c = &w->cells[k];
        v3 p = x[c->vertex[0]], q = x[c->vertex[1]], r = x[c->vertex[2]], s = x[c->vertex[3]];
        v3 along = v3_sub(v3_add(q, s), v3_add(p, r)), across = v3_sub(v3_add(r, s), v3_add(p, q));
        double sine = v3_dot(v3_normalized(along), v3_normalized(across));
        c->rest = fabs(sine) < 1e-9 ? 0 : sine; /* removes rounding */
        c->stiffness = m->stretch_shear * 0.25 * v3_length(v3_cross(along, across));
    }
    for (int32_t k = 0; k < w->joint_count; k++) {
        mus_joint *t = &w->joints[k];
        bool weft = t->vertex[1] - t->vertex[0] != 1;
        v3 first = v3_sub(x[t->vertex[1]], x[t->vertex[0]]), second = v3_sub(x[t->vertex[2]], x[t->vertex[1]]);
        double bend = v3_length(v3_sub(v3_normalized(second), v3_normalized(first)));
        double length = 0.5 * (v3_length(first) + v3_length(second));
        t->rest = bend < 1e-7 ? 0 : bend; /* removes rounding */
        t->stiffness = (weft ? bend_weft : bend_warp) * width_at(x, nodes, t->vertex[1], weft) / length;
    }
}

mus_status mus_network_new(const mus_cloth *cloth, const rest_shape *rest, mus_network **out) {
    mus_status status = mus_network_blank(cloth, out);
    if (status != MUS_STATUS_OK) return status;
    v3 *x = mus_new(sizeof *x * (size_t)cloth->vertex_count);
    if (!x) {
        mus_network_free(*out);
        *out = NULL;
        return MUS_STATUS_NO_MEMORY;
    }
    for (int32_t f = 0; f < cloth->face_count; f++)
        for (int k = 0; k < 3; k++) x[cloth->faces[3 * f + k]] = rest_corner(rest, f, k);
    fill(cloth, x, *out);
    mus_free(x);
    return MUS_STATUS_OK;
}

void mus_network_free(mus_network *w) {
    if (!w) return;
    mus_free(w->links);
    mus_free(w->cells);
    mus_free(w->joints);
    mus_free(w);
}
