/* view_grab.c: cloth and rigid bodies follow the mouse: springs between the grabbed point and the pointer's place,
 * external forces of the ordinary step. */
#include "view/view.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* A spring of cloth carries the cloth's own weight at this stretch, m, and no more force at more than the second. */
static const double WEIGHT_STRETCH = 0.02, LARGEST_STRETCH = 0.1;
/* Damping is critical for this share of the cloth's mass: the part that moves at once with the grabbed face. */
static const double DAMPED_SHARE = 0.1;
/* A body approaches the pointer at this rate, 1/s, of which every step corrects a share; at most at this acceleration,
 * in multiples of gravity's. */
static const double BODY_RATE = 12, BODY_SHARE = 0.5, BODY_LARGEST = 10;
static const double GRAVITY = 9.81; /* m/s^2, also where a scene has none */

/* ---- Cloth ------------------------------------------------------------------------------------------------------- */

/* Barycentric coordinates of a point in a face, kept within it. */
static void face_weights(const double *x, const int32_t corner[3], const double at[3], double weight[3]) {
    double side[2][3], to[3], normal[3], part[3], sum = 0;
    for (int k = 0; k < 3; k++) {
        const double *a = x + 3 * (size_t)corner[0];
        side[0][k] = x[3 * (size_t)corner[1] + (size_t)k] - a[k];
        side[1][k] = x[3 * (size_t)corner[2] + (size_t)k] - a[k];
        to[k] = at[k] - a[k];
    }
    cross(side[0], side[1], normal);
    double area2 = fmax(dot(normal, normal), DBL_MIN);
    cross(to, side[1], part);
    weight[1] = dot(part, normal) / area2;
    cross(side[0], to, part);
    weight[2] = dot(part, normal) / area2;
    weight[0] = 1 - weight[1] - weight[2];
    for (int k = 0; k < 3; k++) weight[k] = fmin(fmax(weight[k], 0), 1), sum += weight[k];
    for (int k = 0; k < 3; k++) weight[k] /= sum;
}

static void grab_cloth(view_grab *d, mus_world *world, const view_pick *pick) {
    const double *mass = mus_cloth_get_masses(world, pick->cloth_id);
    double total = 0;
    for (int32_t i = 0; i < mus_cloth_get_vertex_count(world, pick->cloth_id); i++) total += mass[i];
    d->cloth = pick->cloth_id;
    memcpy(d->corner, mus_cloth_get_faces(world, pick->cloth_id) + 3 * (size_t)pick->face, sizeof d->corner);
    face_weights(mus_cloth_get_positions(world, d->cloth), d->corner, pick->at, d->weight);
    d->stiffness = total * GRAVITY / WEIGHT_STRETCH;
    d->damping = 2 * sqrt(d->stiffness * DAMPED_SHARE * total);
}

static bool find_cloth_point(const view_grab *d, mus_world *world, double at[3]) {
    if (!mus_cloth_is_valid(world, d->cloth)) return false;
    const double *x = mus_cloth_get_positions(world, d->cloth);
    for (int k = 0; k < 3; k++) {
        at[k] = 0;
        for (int c = 0; c < 3; c++) at[k] += d->weight[c] * x[3 * (size_t)d->corner[c] + (size_t)k];
    }
    return true;
}

/* Every corner is moved by what the point lacks, so that the springs have no torque about it. */
static mus_status pull_cloth(const view_grab *d, mus_world *world, const double at[3]) {
    const double *x = mus_cloth_get_positions(world, d->cloth);
    double stretch[3], length, place[3];
    for (int k = 0; k < 3; k++) stretch[k] = d->target[k] - at[k];
    length = sqrt(dot(stretch, stretch));
    double share = length > LARGEST_STRETCH ? LARGEST_STRETCH / length : 1;
    for (int c = 0; c < 3; c++) {
        for (int k = 0; k < 3; k++) place[k] = x[3 * (size_t)d->corner[c] + (size_t)k] + share * stretch[k];
        mus_status status = mus_cloth_add_vertex_spring(world, d->cloth, d->corner[c], place,
                                                        d->weight[c] * d->stiffness, d->weight[c] * d->damping);
        if (status != MUS_STATUS_OK) return status;
    }
    return MUS_STATUS_OK;
}

/* ---- Rigid bodies ------------------------------------------------------------------------------------------------ */

/* By a unit quaternion w, x, y, z; by its inverse with `back`. */
static void rotate(const double q[4], const double v[3], bool back, double out[3]) {
    double axis[3] = {q[1], q[2], q[3]}, once[3], twice[3];
    cross(axis, v, once);
    cross(axis, once, twice);
    for (int k = 0; k < 3; k++) out[k] = v[k] + 2 * (back ? -q[0] : q[0]) * once[k] + 2 * twice[k];
}

static bool grab_body(view_grab *d, mus_world *world, const view_pick *pick) {
    mus_rigid_body_motion motion;
    mus_pose pose;
    if (mus_obstacle_get_rigid_body(world, pick->obstacle_id, &motion) != MUS_STATUS_OK) return false;
    if (mus_obstacle_get_pose(world, pick->obstacle_id, &pose) != MUS_STATUS_OK) return false;
    double arm[3];
    for (int k = 0; k < 3; k++) arm[k] = pick->at[k] - pose.position[k];
    d->body = pick->obstacle_id;
    rotate(pose.rotation, arm, true, d->local);
    return true;
}

static bool find_body_point(const view_grab *d, mus_world *world, double at[3]) {
    mus_pose pose;
    if (!mus_obstacle_is_valid(world, d->body)) return false;
    if (mus_obstacle_get_pose(world, d->body, &pose) != MUS_STATUS_OK) return false;
    rotate(pose.rotation, d->local, false, at);
    for (int k = 0; k < 3; k++) at[k] += pose.position[k];
    return true;
}

/* a x = b by Cramer's rule; false: singular. */
static bool solve3(double a[3][3], const double b[3], double x[3]) {
    double n[3];
    cross(a[1], a[2], n);
    double det = dot(a[0], n);
    if (!(fabs(det) > DBL_MIN)) return false;
    for (int k = 0; k < 3; k++) { /* rows: x = (b0 r1 x r2 + b1 r2 x r0 + b2 r0 x r1) / det */
        x[k] = 0;
        for (int r = 0; r < 3; r++) {
            cross(a[(r + 1) % 3], a[(r + 2) % 3], n);
            x[k] += b[r] * n[k] / det;
        }
    }
    return true;
}

/* The impulse at the point that gives it the wanted velocity: the inverse mass there is 1/m + [r]^T I^-1 [r]. */
static mus_status pull_body(const view_grab *d, mus_world *world, const double at[3]) {
    mus_rigid_body_motion m;
    double arm[3], spin[3], change[3], inverse[3][3], impulse[3];
    mus_status status = mus_obstacle_get_rigid_body(world, d->body, &m);
    if (status != MUS_STATUS_OK) return status;
    for (int k = 0; k < 3; k++) arm[k] = at[k] - m.center[k];
    cross(m.angular_velocity, arm, spin);
    for (int k = 0; k < 3; k++) change[k] = BODY_RATE * (d->target[k] - at[k]) - m.velocity[k] - spin[k];
    for (int k = 0; k < 3; k++) { /* row k: the matrix is symmetric */
        double unit[3] = {k == 0, k == 1, k == 2}, torque[3], turn[3], moved[3];
        cross(arm, unit, torque);
        if (!solve3(m.inertia, torque, turn)) return MUS_STATUS_OK;
        cross(turn, arm, moved);
        for (int c = 0; c < 3; c++) inverse[k][c] = unit[c] / m.mass + moved[c];
    }
    if (!solve3(inverse, change, impulse)) return MUS_STATUS_OK;
    double length = sqrt(dot(impulse, impulse));
    double most = BODY_LARGEST * GRAVITY * m.mass * mus_world_get_step_size(world);
    double share = BODY_SHARE * length > most ? most / length : BODY_SHARE;
    for (int k = 0; k < 3; k++) impulse[k] *= share;
    return mus_obstacle_apply_impulse(world, d->body, impulse, at);
}

/* ---- The grabbed point
 * ------------------------------------------------------------------------------------------------ */

static bool find_point(const view_grab *d, mus_world *world, double at[3]) {
    return d->is_cloth ? find_cloth_point(d, world, at) : find_body_point(d, world, at);
}

/* Removed objects are not pulled any more. */
static mus_status pull_object(void *user, mus_world *world) {
    const view_grab *d = user;
    double at[3];
    if (!find_point(d, world, at)) return MUS_STATUS_OK;
    return d->is_cloth ? pull_cloth(d, world, at) : pull_body(d, world, at);
}

bool view_grab_begin(view_grab *d, view_scene *v, const view_pick *pick, const app_camera *camera) {
    mus_world *world = view_scene_world(v);
    float from[3], along[3];
    view_grab_end(d, v);
    if (!world || !pick->hit) return false;
    d->is_cloth = pick->cloth;
    if (d->is_cloth)
        grab_cloth(d, world, pick);
    else if (!grab_body(d, world, pick))
        return false;
    app_camera_ray(camera, 0, 0, 1, from, along);
    for (int k = 0; k < 3; k++) d->plane[k] = d->target[k] = pick->at[k], d->normal[k] = (double)along[k];
    d->on = true;
    mus_lua_world_forces(v->scene.L, v->scene.world_index, pull_object, d);
    return true;
}

void view_grab_move(view_grab *d, const double from[3], const double along[3]) {
    double to[3], slope = dot(d->normal, along);
    if (!(slope > 0)) return; /* the camera has turned away from the plane */
    for (int k = 0; k < 3; k++) to[k] = d->plane[k] - from[k];
    double t = dot(d->normal, to) / slope;
    if (!(t > 0 && t < 1e6)) return;
    for (int k = 0; k < 3; k++) d->target[k] = from[k] + t * along[k];
}

void view_grab_end(view_grab *d, view_scene *v) {
    if (d->on && v->open) mus_lua_world_forces(v->scene.L, v->scene.world_index, NULL, NULL);
    d->on = false;
}

bool view_grab_get_line(const view_grab *d, const view_scene *v, double at[3], double target[3]) {
    mus_world *world = view_scene_world(v);
    if (!d->on || !world || !find_point(d, world, at)) return false;
    memcpy(target, d->target, sizeof d->target);
    return true;
}
