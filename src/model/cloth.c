/* cloth.c: builds a cloth from a mesh: lumped masses, springs, hinges. */
#include "model/rest.h"
#include "model/crease.h"
#include "model/plastic_stretch.h"
#include "model/network.h"
#include "model/hinge_shape.h"
#include "model/look.h"
#include "model/order.h"
#include "model/sheet.h"
#include "model/thickness.h"

#include <string.h>

static double rest_edge_length(const mus_cloth *cloth, const rest_shape *rest, int32_t edge) {
    const int32_t *ends = cloth->topology.edges + 2 * edge;
    double sum = 0;
    int sides = 0;
    for (int s = 0; s < 2; s++) { /* on a seam the two sides may differ: their mean */
        int32_t face = cloth->topology.edge_faces[2 * edge + s];
        if (face < 0) continue;
        v3 a = rest_corner(rest, face, corner_of(cloth->faces, face, ends[0]));
        v3 b = rest_corner(rest, face, corner_of(cloth->faces, face, ends[1]));
        sum += v3_length(v3_sub(a, b));
        sides++;
    }
    return rest_scale_between(rest, ends[0], ends[1]) * sum / sides;
}

static double cotangent(v3 a, v3 b) {
    double area = v3_length(v3_cross(a, b));
    return area > 0 ? v3_dot(a, b) / area : 0;
}

/* Weights after Bergou et al. 2006, each face's angles in its own plane, so that a seam between two panels bends like
 * cloth. Stiffness: on equilateral triangles the moment B l^2/(A1 + A2) of an angle is that of a plate of rigidity B
 * (Seung & Nelson 1988: B = sqrt(3)/2 of it); that of Grinspun et al. 2003 is three times as much. */
static bool hinge_make(const mus_cloth *cloth, const rest_shape *rest, int32_t h, mus_hinge *hinge) {
    const int32_t *v = cloth->topology.hinges + 4 * h;
    const int32_t *face = cloth->topology.edge_faces + 2 * cloth->topology.hinge_edges[h];
    double cot_a[2], cot_b[2], area = 0;
    for (int s = 0; s < 2; s++) {
        v3 a = rest_corner(rest, face[s], corner_of(cloth->faces, face[s], v[0]));
        v3 b = rest_corner(rest, face[s], corner_of(cloth->faces, face[s], v[1]));
        v3 c = rest_corner(rest, face[s], corner_of(cloth->faces, face[s], v[2 + s]));
        cot_a[s] = cotangent(v3_sub(b, a), v3_sub(c, a));
        cot_b[s] = cotangent(v3_sub(a, b), v3_sub(c, b));
        double scale = rest_face_scale(rest, face[s]);
        area += 0.5 * scale * scale * v3_length(v3_cross(v3_sub(b, a), v3_sub(c, a)));
    }
    if (!(area > 0)) return false;
    memcpy(hinge->vertex, v, sizeof hinge->vertex);
    hinge->weight[0] = (float)(cot_b[0] + cot_b[1]);
    hinge->weight[1] = (float)(cot_a[0] + cot_a[1]);
    hinge->weight[2] = (float)-(cot_a[0] + cot_b[0]);
    hinge->weight[3] = (float)-(cot_a[1] + cot_b[1]);
    double stiffness = rest_factor(rest->bending, v, 4) * cloth->material.bending / area;
    v3 a = rest_corner(rest, face[0], corner_of(cloth->faces, face[0], v[0]));
    v3 b = rest_corner(rest, face[0], corner_of(cloth->faces, face[0], v[1]));
    double scale = rest_scale_between(rest, v[0], v[1]), length2 = scale * scale * v3_length2(v3_sub(b, a));
    hinge->stiffness = (float)stiffness;
    hinge->moment = (float)(stiffness * length2);
    hinge->low = (float)(0.3 * area / sqrt(length2)); /* of the mean height at rest */
    hinge->rest = 0;
    if (rest->vertices) {
        v3 x[4];
        mus_hinge_shape shape;
        for (int k = 0; k < 4; k++) x[k] = v3_load(rest->vertices + 3 * v[k]);
        if (!mus_hinge_measure(x[0], x[1], x[2], x[3], &shape)) return false;
        hinge->rest = fabs(shape.bend) < 1e-9 ? 0 : shape.bend; /* removes rounding */
    }
    return true;
}

static void add_spring(mus_cloth *cloth, int32_t a, int32_t b, double length, mus_spring_kind kind) {
    if (cloth->spring_laws[kind].stiffness > 0 || cloth->spring_laws[kind].bending > 0)
        cloth->springs[cloth->spring_count++] = (mus_spring){a, (uint32_t)b & 0x3fffffff, (uint32_t)kind & 3, length};
}

static double rest_distance(const rest_shape *rest, int32_t a, int32_t b) {
    double length = v3_length(v3_sub(v3_load(rest->vertices + 3 * a), v3_load(rest->vertices + 3 * b)));
    return rest_scale_between(rest, a, b) * length;
}

/* Provot's network on a rectangular grid: structural along warp and weft, shear on both diagonals of a quad (half the
 * stiffness each), bend springs to every second node. */
static void grid_springs(mus_cloth *cloth, const rest_shape *rest, const int32_t nodes[2]) {
    int32_t nu = nodes[0], nv = nodes[1];
    for (int32_t j = 0; j < nv; j++)
        for (int32_t i = 0; i < nu; i++) {
            int32_t at = i + j * nu, up = at + nu;
            bool u1 = i + 1 < nu, v1 = j + 1 < nv;
            if (u1) add_spring(cloth, at, at + 1, rest_distance(rest, at, at + 1), MUS_SPRING_STRUCTURAL);
            if (v1) add_spring(cloth, at, up, rest_distance(rest, at, up), MUS_SPRING_STRUCTURAL);
            if (u1 && v1) {
                add_spring(cloth, at, up + 1, rest_distance(rest, at, up + 1), MUS_SPRING_SHEAR);
                add_spring(cloth, at + 1, up, rest_distance(rest, at + 1, up), MUS_SPRING_SHEAR);
            }
            if (i + 2 < nu) add_spring(cloth, at, at + 2, rest_distance(rest, at, at + 2), MUS_SPRING_BEND);
            if (j + 2 < nv) add_spring(cloth, at, up + nu, rest_distance(rest, at, up + nu), MUS_SPRING_BEND);
        }
}

/* A free mesh: every edge is structural, bend springs join the two vertices opposite a shared edge. */
static void mesh_springs(mus_cloth *cloth, const rest_shape *rest) {
    const mus_topology *t = &cloth->topology;
    for (int32_t e = 0; e < t->edge_count; e++)
        add_spring(cloth, t->edges[2 * e], t->edges[2 * e + 1], cloth->rest_lengths[e], MUS_SPRING_STRUCTURAL);
    if (!rest->vertices) return; /* across a seam of a flat pattern the opposite vertices have no rest distance */
    for (int32_t h = 0; h < t->hinge_count; h++) {
        int32_t a = t->hinges[4 * h + 2], b = t->hinges[4 * h + 3];
        add_spring(cloth, a, b, rest_distance(rest, a, b), MUS_SPRING_BEND);
    }
}

/* Bend springs take the map of bending, the others that of stiffness. */
static mus_status set_factors(mus_cloth *cloth, const rest_shape *rest) {
    if (!rest->stiffness && !rest->bending) return MUS_STATUS_OK;
    cloth->spring_factors = mus_new(sizeof *cloth->spring_factors * ((size_t)cloth->spring_count + 1));
    if (!cloth->spring_factors) return MUS_STATUS_NO_MEMORY;
    for (int32_t k = 0; k < cloth->spring_count; k++) {
        const mus_spring *s = &cloth->springs[k];
        const double *map = s->kind == MUS_SPRING_BEND ? rest->bending : rest->stiffness;
        cloth->spring_factors[k] = (float)rest_factor(map, (int32_t[]){s->a, (int32_t)s->b}, 2);
    }
    return MUS_STATUS_OK;
}

/* Springs only, springs and hinges, or Choi & Ko's: no stiffness along the yarns in compression, and buckled spans. */
static void choose_laws(mus_cloth *cloth) {
    const mus_material *m = &cloth->material;
    mus_spring_law structural = {.stiffness = m->stretch, .compression = m->compression};
    mus_spring_law shear = {.stiffness = 0.5 * m->shear, .compression = m->compression};
    mus_spring_law bend = {.stiffness = m->bend, .compression = 1};
    if (m->model == MUS_MODEL_MASS_SPRING && !(m->bend > 0)) bend.bending = m->bending;
    if (m->model == MUS_MODEL_CHOI_KO) {
        structural.compression = shear.compression = 0;
        double ramp = m->buckling < 0 ? m->stretch : m->buckling;
        bend = (mus_spring_law){.stiffness = m->bending > 0 ? ramp : 0, .bending = m->bending, .arc = true};
    }
    cloth->spring_laws[MUS_SPRING_STRUCTURAL] = structural;
    cloth->spring_laws[MUS_SPRING_SHEAR] = shear;
    cloth->spring_laws[MUS_SPRING_BEND] = bend;
}

static mus_status build(mus_cloth *cloth, const mus_cloth_def *def, const rest_shape *rest) {
    const int32_t *grid = mus_mesh_get_grid_nodes(def->mesh);
    const mus_topology *t = &cloth->topology;
    double sum = 0, whole = 0;
    for (int32_t e = 0; e < t->edge_count; e++) {
        cloth->rest_lengths[e] = rest_edge_length(cloth, rest, e);
        if (!(cloth->rest_lengths[e] > 0))
            return mus_fail(MUS_STATUS_TOPOLOGY,
                            "cloth '%s': the edge between vertices %d and %d has no length at rest", cloth->name,
                            t->edges[2 * e] + 1, t->edges[2 * e + 1] + 1);
        sum += cloth->rest_lengths[e];
    }
    cloth->mean_edge = sum / t->edge_count;
    for (int32_t f = 0; f < cloth->face_count; f++) {
        v3 a = rest_corner(rest, f, 0), b = rest_corner(rest, f, 1), c = rest_corner(rest, f, 2);
        double area = 0.5 * v3_length(v3_cross(v3_sub(b, a), v3_sub(c, a)));
        if (!(area > 0))
            return mus_fail(MUS_STATUS_TOPOLOGY, "cloth '%s': face %d has no area at rest", cloth->name, f + 1);
        for (int k = 0; k < 3; k++) {
            int32_t i = cloth->faces[3 * f + k];
            cloth->mass[i] += (def->density ? def->density[i] : cloth->material.density) * area / 3;
        }
        whole += area;
    }
    double total = cloth->material.density * whole;
    if (def->density) total = 0;
    for (int32_t i = 0; i < cloth->vertex_count && def->density; i++) total += cloth->mass[i];
    for (int32_t i = 0; i < cloth->vertex_count; i++) {
        if (!(cloth->mass[i] > 0))
            return mus_fail(MUS_STATUS_TOPOLOGY,
                            "cloth '%s': vertex %d belongs to no face, so it has no mass; remove it from the mesh",
                            cloth->name, i + 1);
        if (def->equal_masses) cloth->mass[i] = total / cloth->vertex_count;
        cloth->inverse_mass[i] = 1 / cloth->mass[i];
    }
    choose_laws(cloth);
    if (!mus_model_is_membrane(cloth->material.model)) {
        if (!(cloth->warps = mus_new(sizeof *cloth->warps * (size_t)cloth->face_count))) return MUS_STATUS_NO_MEMORY;
        mus_cloth_find_warps(cloth, rest, cloth->warps);
    }
    mus_status status = MUS_STATUS_OK;
    if (cloth->material.model == MUS_MODEL_SQUARE_NETWORK)
        status = mus_network_new(cloth, rest, &cloth->network);
    else if (mus_model_is_membrane(cloth->material.model))
        status = mus_sheet_new(cloth, rest, &cloth->sheet);
    else if (grid[0] && rest->vertices)
        grid_springs(cloth, rest, grid);
    else
        mesh_springs(cloth, rest);
    if (status == MUS_STATUS_OK && cloth->spring_count > 0) status = set_factors(cloth, rest);
    if (status == MUS_STATUS_OK && cloth->material.bending > 0 && cloth->material.model == MUS_MODEL_SPRINGS)
        for (int32_t h = 0; h < t->hinge_count; h++)
            if (hinge_make(cloth, rest, h, &cloth->hinges[cloth->hinge_count])) cloth->hinge_count++;
    return status;
}

mus_status mus_cloth_complete(mus_cloth *cloth) {
    mus_status status = mus_creases_create(cloth);
    if (status == MUS_STATUS_OK) status = mus_plastic_stretch_create(cloth);
    if (status == MUS_STATUS_OK) status = mus_cloth_bound_thicknesses(cloth);
    if (status == MUS_STATUS_OK) status = mus_cloth_put_in_order(cloth);
    if (status == MUS_STATUS_OK) mus_cloth_trim(cloth);
    return status;
}

static mus_status take_map(const mus_cloth *cloth, const double *map, double **to) {
    size_t bytes = sizeof *map * (size_t)cloth->vertex_count;
    if (!map) return MUS_STATUS_OK;
    if (!(*to = mus_new(bytes))) return MUS_STATUS_NO_MEMORY;
    memcpy(*to, map, bytes);
    return MUS_STATUS_OK;
}

mus_status mus_cloth_new(const mus_cloth_def *def, const char *name, mus_cloth **out) {
    *out = NULL;
    mus_cloth *cloth = mus_new(sizeof *cloth);
    if (!cloth) return MUS_STATUS_NO_MEMORY;
    cloth->material = def->material;
    cloth->thickness = def->thickness;
    cloth->friction = def->friction;
    cloth->restitution = def->restitution;
    cloth->self_collision = def->self_collision;
    cloth->layer = def->layer;
    cloth->look = def->look;
    cloth->vertex_count = mus_mesh_get_vertex_count(def->mesh);
    cloth->face_count = mus_mesh_get_face_count(def->mesh);
    memcpy(cloth->grid_nodes, mus_mesh_get_grid_nodes(def->mesh), sizeof cloth->grid_nodes);
    mus_status status = mus_cloth_allocate(cloth, mus_mesh_get_faces(def->mesh), name);
    if (status == MUS_STATUS_OK) {
        const mus_mesh *shape = def->rest ? def->rest : def->mesh;
        rest_shape rest = {.faces = cloth->faces};
        rest.uvs = mus_mesh_get_uvs(shape), rest.uv_faces = mus_mesh_get_uv_faces(shape);
        rest.shrinkage = def->shrinkage, rest.stiffness = def->stiffness, rest.bending = def->bending;
        if (!def->rest_from_uv) rest.vertices = mus_mesh_get_vertices_const(shape);
        memcpy(cloth->x, mus_mesh_get_vertices_const(def->mesh), sizeof(double) * 3 * (size_t)cloth->vertex_count);
        for (int32_t i = 0; i < cloth->vertex_count; i++) memcpy(cloth->v + 3 * i, def->velocity, sizeof def->velocity);
        status = take_map(cloth, def->thicknesses, &cloth->thicknesses);
        if (status == MUS_STATUS_OK) status = take_map(cloth, def->frictions, &cloth->frictions);
        if (status == MUS_STATUS_OK) status = take_map(cloth, def->strain_limits, &cloth->strain_limits);
        if (status == MUS_STATUS_OK) status = take_map(cloth, def->dampings, &cloth->dampings);
        if (status == MUS_STATUS_OK) status = build(cloth, def, &rest);
    }
    bool only_rest = def->rest_from_uv && mus_mesh_get_uvs(def->mesh); /* those of `rest` are lengths */
    if (status == MUS_STATUS_OK) status = mus_cloth_make_uvs(cloth, def->mesh, only_rest ? NULL : def->rest);
    if (status == MUS_STATUS_OK) status = mus_cloth_take_groups(cloth, def->mesh);
    if (status == MUS_STATUS_OK) status = mus_cloth_complete(cloth);
    if (status == MUS_STATUS_OK)
        *out = cloth;
    else
        mus_cloth_free(cloth);
    return status;
}

/* Twice the area of a face, along its normal. */
static v3 twice_area(const mus_cloth *cloth, const int32_t *corner) {
    v3 a = v3_load(cloth->x + 3 * corner[0]);
    return v3_cross(v3_sub(v3_load(cloth->x + 3 * corner[1]), a), v3_sub(v3_load(cloth->x + 3 * corner[2]), a));
}

mus_status mus_cloth_compute_normals(mus_cloth *cloth) {
    size_t bytes = sizeof(double) * 3 * (size_t)cloth->vertex_count;
    if (!cloth->normals && !(cloth->normals = mus_new(bytes))) return MUS_STATUS_NO_MEMORY;
    memset(cloth->normals, 0, bytes);
    for (int32_t f = 0; f < cloth->face_count; f++) {
        const int32_t *corner = cloth->faces + 3 * f;
        v3 normal = twice_area(cloth, corner);
        for (int k = 0; k < 3; k++) {
            double *total = cloth->normals + 3 * corner[k];
            v3_store(total, v3_add(v3_load(total), normal));
        }
    }
    for (int32_t i = 0; i < cloth->vertex_count; i++)
        v3_store(cloth->normals + 3 * i, v3_normalized(v3_load(cloth->normals + 3 * i)));
    return MUS_STATUS_OK;
}

mus_status mus_cloth_compute_areas(mus_cloth *cloth) {
    size_t bytes = sizeof(double) * (size_t)cloth->vertex_count;
    if (!cloth->areas && !(cloth->areas = mus_new(bytes))) return MUS_STATUS_NO_MEMORY;
    memset(cloth->areas, 0, bytes);
    for (int32_t f = 0; f < cloth->face_count; f++) {
        const int32_t *corner = cloth->faces + 3 * f;
        double share = v3_length(twice_area(cloth, corner)) / 6;
        for (int k = 0; k < 3; k++) cloth->areas[corner[k]] += share;
    }
    return MUS_STATUS_OK;
}
