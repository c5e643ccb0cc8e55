/* rigid.c: mass properties of solids, and the free motion of rigid bodies. */
#include "model/rigid.h"
#include "base/box.h"
#include "base/memory.h"
#include "mesh/topology.h"
#include "muslin/math.h"

#include <string.h>

static const double pi = 3.14159265358979323846;

/* ---- matrices ---- */

static m3 diagonal(double x, double y, double z) {
    return (m3){{{x, 0, 0}, {0, y, 0}, {0, 0, z}}};
}

static void add_outer(m3 *m, double s, v3 a) {
    m->r[0] = v3_axpy(s * a.x, a, m->r[0]);
    m->r[1] = v3_axpy(s * a.y, a, m->r[1]);
    m->r[2] = v3_axpy(s * a.z, a, m->r[2]);
}

/* R m R^T, symmetric as m is. */
static m3 turned(const m3 *r, const m3 *m) {
    m3 half, out; /* rows: m r_i, since m is symmetric */
    for (int i = 0; i < 3; i++) half.r[i] = m3_mul_v3(m, r->r[i]);
    double xx = v3_dot(r->r[0], half.r[0]), yy = v3_dot(r->r[1], half.r[1]), zz = v3_dot(r->r[2], half.r[2]);
    double xy = v3_dot(r->r[0], half.r[1]), xz = v3_dot(r->r[0], half.r[2]), yz = v3_dot(r->r[1], half.r[2]);
    out = (m3){{{xx, xy, xz}, {xy, yy, yz}, {xz, yz, zz}}};
    return out;
}

static m3 inverse(const m3 *m) {
    v3 x = v3_cross(m->r[1], m->r[2]), y = v3_cross(m->r[2], m->r[0]), z = v3_cross(m->r[0], m->r[1]);
    double s = 1 / v3_dot(m->r[0], x);
    return (m3){{{s * x.x, s * x.y, s * x.z}, {s * x.y, s * y.y, s * y.z}, {s * x.z, s * y.z, s * z.z}}};
}

/* ---- mass ---- */

mus_moments mus_moments_of_mesh(const double *vertices, const int32_t *faces, int32_t face_count) {
    mus_moments m = {0};
    if (face_count <= 0) return m;
    v3 origin = v3_load(vertices + 3 * (size_t)faces[0]); /* a point of the solid: avoids cancellation */
    for (int32_t f = 0; f < face_count; f++) {
        v3 p[3], sum = v3_make(0, 0, 0);
        for (int k = 0; k < 3; k++) {
            p[k] = v3_sub(v3_load(vertices + 3 * (size_t)faces[3 * f + k]), origin);
            sum = v3_add(sum, p[k]);
        }
        double six = v3_dot(p[0], v3_cross(p[1], p[2])); /* six times a volume */
        m.volume += six / 6;
        m.first = v3_axpy(six / 24, sum, m.first);
        add_outer(&m.second, six / 120, sum);
        for (int k = 0; k < 3; k++) add_outer(&m.second, six / 120, p[k]);
    }
    /* about the frame's own origin: second + o first^T + first o^T + volume o o^T */
    for (int i = 0; i < 3; i++) {
        v3 *row = &m.second.r[i];
        *row = v3_axpy(v3_get(origin, i), m.first, *row);
        *row = v3_axpy(v3_get(m.first, i) + m.volume * v3_get(origin, i), origin, *row);
    }
    m.first = v3_axpy(m.volume, origin, m.first);
    return m;
}

static mus_moments moments_of_shape(const mus_obstacle_def *def) {
    double r = def->radius, r2 = r * r, l = def->length;
    mus_moments m = {0};
    if (def->shape == MUS_SHAPE_BOX) {
        const double *s = def->size;
        m.volume = s[0] * s[1] * s[2];
        m.second = diagonal(m.volume * s[0] * s[0] / 12, m.volume * s[1] * s[1] / 12, m.volume * s[2] * s[2] / 12);
    } else if (def->shape == MUS_SHAPE_SPHERE) {
        m.volume = 4 * pi / 3 * r * r2;
        m.second = diagonal(m.volume * r2 / 5, m.volume * r2 / 5, m.volume * r2 / 5);
    } else {
        /* a cylinder and two hemispheres, each with its center 3/8 r beyond its flat side */
        double tube = pi * r2 * l, ball = 4 * pi / 3 * r * r2;
        double across = tube * r2 / 4 + ball * r2 / 5;
        double along = tube * l * l / 12 + ball * (r2 / 5 + l * l / 4 + 3 * r * l / 8);
        m.volume = tube + ball;
        m.second = diagonal(across, along, across);
    }
    return m;
}

/* Checks that every edge of a solid's surface is between two faces of opposite direction along it. */
static mus_status check_closed(const char *name, const int32_t *faces, int32_t face_count, int32_t vertex_count) {
    mus_topology t;
    mus_status status = mus_topology_build(faces, face_count, vertex_count, &t);
    if (status != MUS_STATUS_OK) return status;
    if (t.boundary_edge_count > 0)
        status = mus_fail(MUS_STATUS_INVALID,
                          "obstacle '%s': a rigid body needs a closed mesh, and %d edges of this one have one face "
                          "only; close it, give 'inertia' and 'center_of_mass', or leave out motion = 'dynamic'",
                          name, t.boundary_edge_count);
    int8_t *way = mus_new((size_t)t.edge_count + 1);
    if (!way) status = MUS_STATUS_NO_MEMORY;
    for (int32_t k = 0; k < 3 * face_count && status == MUS_STATUS_OK; k++) {
        int32_t from = faces[k], to = faces[k % 3 == 2 ? k - 2 : k + 1], sign = from < to ? 1 : -1;
        int8_t *seen = &way[t.face_edges[k]];
        if (*seen == sign)
            status = mus_fail(MUS_STATUS_INVALID,
                              "obstacle '%s': a rigid body needs faces that all point outward, and face %d has the "
                              "opposite orientation of a neighbor; orient the mesh, or leave out motion = 'dynamic'",
                              name, k / 3 + 1);
        *seen = (int8_t)sign;
    }
    mus_free(way);
    mus_topology_free(&t);
    return status;
}

static mus_status solid(const mus_obstacle_def *def, const char *name, const double *local, int32_t vertex_count,
                        const int32_t *faces, int32_t face_count, mus_moments *m) {
    *m = def->shape == MUS_SHAPE_MESH ? mus_moments_of_mesh(local, faces, face_count) : moments_of_shape(def);
    if (def->shape != MUS_SHAPE_MESH) return MUS_STATUS_OK;
    mus_status status = check_closed(name, faces, face_count, vertex_count);
    if (status != MUS_STATUS_OK) return status;
    if (m->volume < 0) { /* inward faces: the same solid */
        m->volume = -m->volume, m->first = v3_neg(m->first);
        for (int i = 0; i < 3; i++) m->second.r[i] = v3_neg(m->second.r[i]);
    }
    mus_box box = mus_box_of_points(local, vertex_count);
    double size = v3_length(mus_box_size(&box));
    if (!(m->volume > 1e-9 * size * size * size))
        return mus_fail(MUS_STATUS_INVALID,
                        "obstacle '%s': a rigid body needs a mesh with a volume (got %.3g m^3 in a size of %.3g m); "
                        "give it thickness, or 'inertia' and 'center_of_mass', or leave out motion = 'dynamic'",
                        name, m->volume, size);
    return MUS_STATUS_OK;
}

/* Center and inertia of a solid of uniform density. */
static void set_uniform_moments(const mus_moments *m, mus_rigid *rigid) {
    double density = rigid->mass / m->volume;
    rigid->center = v3_scale(1 / m->volume, m->first);
    m3 about = m->second; /* second moments about the center */
    add_outer(&about, -m->volume, rigid->center);
    double trace = about.r[0].x + about.r[1].y + about.r[2].z;
    for (int i = 0; i < 3; i++) rigid->inertia.r[i] = v3_scale(-density, about.r[i]);
    rigid->inertia.r[0].x += density * trace;
    rigid->inertia.r[1].y += density * trace;
    rigid->inertia.r[2].z += density * trace;
}

mus_status mus_rigid_make(const mus_obstacle_def *def, const char *name, const double *local, int32_t vertex_count,
                          const int32_t *faces, int32_t face_count, mus_rigid *rigid) {
    *rigid = (mus_rigid){0};
    if (!def->dynamic) return MUS_STATUS_OK;
    rigid->mass = def->mass;
    if (!def->has_inertia || !def->has_center_of_mass) {
        mus_moments m;
        mus_status status = solid(def, name, local, vertex_count, faces, face_count, &m);
        if (status != MUS_STATUS_OK) return status;
        set_uniform_moments(&m, rigid);
    }
    if (def->has_center_of_mass) rigid->center = v3_load(def->center_of_mass);
    for (int i = 0; i < 3 && def->has_inertia; i++) rigid->inertia.r[i] = v3_load(def->inertia[i]);
    rigid->inverse_inertia = inverse(&rigid->inertia);
    m3 now = mus_rigid_inertia(rigid, def->pose.rotation);
    rigid->v = v3_load(def->velocity);
    rigid->momentum = m3_mul_v3(&now, v3_load(def->angular_velocity));
    return MUS_STATUS_OK;
}

/* ---- motion ---- */

v3 mus_rigid_center(const mus_rigid *rigid, const mus_pose *pose) {
    m3 r = m3_from_quaternion(pose->rotation);
    return v3_add(m3_mul_v3(&r, rigid->center), v3_load(pose->position));
}

m3 mus_rigid_inertia(const mus_rigid *rigid, const double rotation[4]) {
    m3 r = m3_from_quaternion(rotation);
    return turned(&r, &rigid->inertia);
}

m3 mus_rigid_inverse_inertia(const mus_rigid *rigid, const double rotation[4]) {
    m3 r = m3_from_quaternion(rotation);
    return turned(&r, &rigid->inverse_inertia);
}

/* Rotation `from` followed by a turn, normalized. */
static void turn_by(const double from[4], v3 turn, double to[4]) {
    double angle = v3_length(turn), s = angle > 0 ? mus_sin(0.5 * angle) / angle : 0.5;
    double w = mus_cos(0.5 * angle), x = s * turn.x, y = s * turn.y, z = s * turn.z;
    const double *q = from;
    double out[4] = {w * q[0] - x * q[1] - y * q[2] - z * q[3], w * q[1] + x * q[0] + y * q[3] - z * q[2],
                     w * q[2] + y * q[0] + z * q[1] - x * q[3], w * q[3] + z * q[0] + x * q[2] - y * q[1]};
    double length = sqrt(out[0] * out[0] + out[1] * out[1] + out[2] * out[2] + out[3] * out[3]);
    for (int k = 0; k < 4; k++) to[k] = out[k] / length;
}

void mus_pose_move(const mus_pose *from, v3 about, v3 shift, v3 turn, mus_pose *to) {
    double rotation[4];
    turn_by((double[4]){1, 0, 0, 0}, turn, rotation);
    m3 r = m3_from_quaternion(rotation);
    v3 place = v3_add(v3_add(about, shift), m3_mul_v3(&r, v3_sub(v3_load(from->position), about)));
    turn_by(from->rotation, turn, rotation);
    memcpy(to->rotation, rotation, sizeof rotation);
    v3_store(to->position, place);
}

void mus_rigid_advance(const mus_rigid *rigid, const mus_pose *from, v3 v, v3 momentum, double dt, mus_pose *to,
                       v3 *turn) {
    enum { ROUNDS = 40 }; /* each has an error factor of dt |w| times the axes' inequality; a few usually suffice */
    v3 center = v3_axpy(dt, v, mus_rigid_center(rigid, from)), half = v3_make(0, 0, 0);
    double middle[4];
    memcpy(middle, from->rotation, sizeof middle);
    for (int k = 0; k < ROUNDS; k++) {
        m3 to_rate = mus_rigid_inverse_inertia(rigid, middle);
        v3 next = v3_scale(0.5 * dt, m3_mul_v3(&to_rate, momentum));
        bool same = next.x == half.x && next.y == half.y && next.z == half.z;
        half = next;
        if (same) break;
        turn_by(from->rotation, half, middle);
    }
    *turn = v3_scale(2, half);
    turn_by(from->rotation, *turn, to->rotation);
    m3 r = m3_from_quaternion(to->rotation);
    v3_store(to->position, v3_sub(center, m3_mul_v3(&r, rigid->center)));
}
