/* test_rigid_mass.c: mass properties of solids in closed form, and the free motion of rigid bodies. */
#include "../base/checks.h"

#include <string.h>

#include "model/obstacle.h"

static const double pi = 3.14159265358979323846;

static mus_obstacle *solid(mus_shape shape, double radius, double length, v3 size, double mass) {
    mus_obstacle_def def = mus_obstacle_def_default();
    def.shape = shape, def.radius = radius, def.length = length, def.dynamic = true, def.mass = mass;
    v3_store(def.size, size);
    mus_obstacle *obstacle;
    must(mus_obstacle_new(&def, "solid", &obstacle));
    return obstacle;
}

static void near_diagonal(const m3 *m, v3 wanted, double tolerance) {
    double unit = fmax(wanted.x, fmax(wanted.y, wanted.z));
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            near(v3_get(m->r[i], j) / unit, i == j ? v3_get(wanted, i) / unit : 0, tolerance, "moment of inertia");
}

static void inertia_of_a_box(void **state) {
    (void)state;
    mus_obstacle *box = solid(MUS_SHAPE_BOX, 0, 0, v3_make(0.1, 0.2, 0.3), 12);
    near_diagonal(&box->rigid.inertia, v3_make(0.04 + 0.09, 0.01 + 0.09, 0.01 + 0.04), 1e-12);
    near_diagonal(&box->rigid.inverse_inertia, v3_make(1 / 0.13, 1 / 0.1, 1 / 0.05), 1e-12);
    mus_obstacle_free(box);
}

static void inertia_of_a_sphere(void **state) {
    (void)state;
    mus_obstacle *sphere = solid(MUS_SHAPE_SPHERE, 0.2, 0, v3_make(0, 0, 0), 5);
    near_diagonal(&sphere->rigid.inertia, v3_make(0.08, 0.08, 0.08), 1e-12); /* 2/5 m r^2 */
    mus_obstacle_free(sphere);
}

/* A cylinder along y and two half spheres of the same density. */
static void inertia_of_a_capsule(void **state) {
    (void)state;
    const double r = 0.1, l = 0.4, mass = 3;
    double tube = r * r * l, caps = 4 * r * r * r / 3, density = mass / (tube + caps); /* over pi */
    tube *= density, caps *= density;
    double along = tube * r * r / 2 + caps * 2 * r * r / 5;
    double across = tube * (3 * r * r + l * l) / 12 + caps * (2 * r * r / 5 + l * l / 4 + 3 * r * l / 8);
    mus_obstacle *capsule = solid(MUS_SHAPE_CAPSULE, r, l, v3_make(0, 0, 0), mass);
    near_diagonal(&capsule->rigid.inertia, v3_make(across, along, across), 1e-12);
    mus_obstacle_free(capsule);
}

/* The parallel axis theorem: of a box that is moved off the origin of its mesh. */
static void moments_of_a_mesh_are_those_of_its_shape(void **state) {
    (void)state;
    const double size[3] = {0.1, 0.2, 0.3}, center[3] = {0.5, -0.7, 0.2};
    mus_mesh *mesh;
    must(mus_mesh_create_box(size, center, &mesh));
    mus_moments m =
        mus_moments_of_mesh(mus_mesh_get_vertices(mesh), mus_mesh_get_faces(mesh), mus_mesh_get_face_count(mesh));
    double volume = 0.1 * 0.2 * 0.3;
    near(m.volume, volume, 1e-15, "volume");
    for (int i = 0; i < 3; i++) {
        near(v3_get(m.first, i), volume * center[i], 1e-15, "first moment");
        for (int j = 0; j < 3; j++) {
            double wanted = volume * (center[i] * center[j] + (i == j ? size[i] * size[i] / 12 : 0));
            near(v3_get(m.second.r[i], j), wanted, 1e-14, "second moment");
        }
    }
    mus_obstacle_def def = mus_obstacle_def_default();
    def.shape = MUS_SHAPE_MESH, def.mesh = mesh, def.dynamic = true, def.mass = 12;
    mus_obstacle *box;
    must(mus_obstacle_new(&def, "box", &box));
    near(v3_length(v3_sub(box->rigid.center, v3_load(center))), 0, 1e-12, "center of mass");
    near_diagonal(&box->rigid.inertia, v3_make(0.13, 0.1, 0.05), 1e-10);
    mus_obstacle_free(box);
    mus_mesh_destroy(mesh);
}

static void mesh_of_a_body_must_be_closed_and_oriented(void **state) {
    (void)state;
    const double x[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    const int32_t faces[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
    for (int how = 0; how < 4; how++) {
        int32_t f[12];
        memcpy(f, faces, sizeof f);
        if (how == 1) f[9] = 2, f[10] = 1;                                                    /* one face turned */
        for (int k = 0; how == 2 && k < 12; k += 3) f[k] = faces[k + 1], f[k + 1] = faces[k]; /* all inward */
        mus_mesh_def mesh_def = {mus_mesh_def_default().cookie, .vertices = x, .faces = f, .vertex_count = 4,
                                 .face_count = how == 3 ? 3 : 4};
        mus_mesh *mesh;
        must(mus_mesh_create(&mesh_def, &mesh));
        mus_obstacle_def def = mus_obstacle_def_default();
        def.shape = MUS_SHAPE_MESH, def.mesh = mesh, def.dynamic = true, def.mass = 1;
        mus_obstacle *body = NULL;
        must_be(how == 1 || how == 3 ? MUS_STATUS_INVALID : MUS_STATUS_OK, mus_obstacle_new(&def, "body", &body));
        if (body) near(v3_length(v3_sub(body->rigid.center, v3_make(0.25, 0.25, 0.25))), 0, 1e-12, "center of mass");
        mus_obstacle_free(body);
        mus_mesh_destroy(mesh);
    }
}

static void inertia_turns_with_the_body(void **state) {
    (void)state;
    mus_obstacle *box = solid(MUS_SHAPE_BOX, 0, 0, v3_make(0.1, 0.2, 0.3), 12);
    double q[4];
    turn(q, v3_make(0, 0, 1), pi / 2); /* x becomes y */
    m3 inertia = mus_rigid_inertia(&box->rigid, q), inverse = mus_rigid_inverse_inertia(&box->rigid, q);
    near_diagonal(&inertia, v3_make(0.1, 0.13, 0.05), 1e-12);
    near_diagonal(&inverse, v3_make(10, 1 / 0.13, 20), 1e-12);
    mus_obstacle_free(box);
}

static void velocity_gives_momentum_about_the_center(void **state) {
    (void)state;
    mus_obstacle_def def = mus_obstacle_def_default();
    def.shape = MUS_SHAPE_BOX, def.dynamic = true, def.mass = 12;
    v3_store(def.size, v3_make(0.1, 0.2, 0.3));
    v3_store(def.angular_velocity, v3_make(1, 2, 3));
    v3_store(def.velocity, v3_make(4, 5, 6));
    mus_obstacle *box;
    must(mus_obstacle_new(&def, "box", &box));
    near(v3_length(v3_sub(box->rigid.momentum, v3_make(0.13, 0.2, 0.15))), 0, 1e-12, "angular momentum");
    near(v3_length(v3_sub(box->rigid.v, v3_make(4, 5, 6))), 0, 0, "velocity");
    mus_obstacle_free(box);
}

/* ---- motion ---- */

static void spin_about_a_principal_axis_is_uniform(void **state) {
    (void)state;
    mus_obstacle *box = solid(MUS_SHAPE_BOX, 0, 0, v3_make(0.1, 0.2, 0.3), 12);
    const double dt = 0.01, rate = 3;
    mus_pose pose = box->pose;
    v3 momentum = v3_make(0, 0.1 * rate, 0), moved;
    for (int step = 0; step < 100; step++)
        mus_rigid_advance(&box->rigid, &pose, v3_make(1, 0, -2), momentum, dt, &pose, &moved);
    double q[4];
    turn(q, v3_make(0, 1, 0), rate);
    for (int k = 0; k < 4; k++) near(pose.rotation[k], q[k], 1e-10, "rotation");
    near(v3_length(v3_sub(v3_load(pose.position), v3_make(1, 0, -2))), 0, 1e-10, "position");
    near(v3_length(v3_sub(moved, v3_make(0, rate * dt, 0))), 0, 1e-12, "turn of a step");
    mus_obstacle_free(box);
}

/* A body that tumbles: the implicit midpoint rule keeps the rotational energy without drift, and its unit rotation. */
static void tumbling_body_keeps_its_energy(void **state) {
    (void)state;
    mus_obstacle *box = solid(MUS_SHAPE_BOX, 0, 0, v3_make(0.1, 0.2, 0.3), 12);
    const double dt = 1e-3;
    mus_pose pose = box->pose;
    v3 momentum = v3_make(0.01, 0.5, 0.02), moved; /* about the middle axis: unstable */
    double start = 0, worst = 0;
    for (int step = 0; step < 3000; step++) {
        m3 inverse = mus_rigid_inverse_inertia(&box->rigid, pose.rotation);
        double energy = 0.5 * v3_dot(momentum, m3_mul_v3(&inverse, momentum)), q2 = 0;
        if (step == 0) start = energy;
        worst = fmax(worst, fabs(energy / start - 1));
        mus_rigid_advance(&box->rigid, &pose, v3_make(0, 0, 0), momentum, dt, &pose, &moved);
        for (int k = 0; k < 4; k++) q2 += pose.rotation[k] * pose.rotation[k];
        near(q2, 1, 1e-14, "length of the quaternion");
    }
    print_message("# energy within %.2g of its start\n", worst);
    assert_true(worst < 1e-4);
    mus_obstacle_free(box);
}

static void moved_pose_turns_about_its_point(void **state) {
    (void)state;
    mus_pose pose = {.position = {1, 2, 3}, .rotation = {1, 0, 0, 0}};
    turn(pose.rotation, v3_make(0, 0, 1), 0.3);
    v3 about = v3_make(-1, 0.5, 2), local = mus_pose_unapply(&pose, about), shift = v3_make(0.1, 0.2, -0.3);
    mus_pose_move(&pose, about, shift, v3_make(0, 0, 0.5), &pose);
    near(v3_length(v3_sub(mus_pose_apply(&pose, local), v3_add(about, shift))), 0, 1e-12, "the point itself");
    double q[4];
    turn(q, v3_make(0, 0, 1), 0.8);
    for (int k = 0; k < 4; k++) near(pose.rotation[k], q[k], 1e-12, "rotation");
    near(v3_length(v3_sub(mus_pose_unapply(&pose, mus_pose_apply(&pose, local)), local)), 0, 1e-12, "there and back");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inertia_of_a_box),
        cmocka_unit_test(inertia_of_a_sphere),
        cmocka_unit_test(inertia_of_a_capsule),
        cmocka_unit_test(moments_of_a_mesh_are_those_of_its_shape),
        cmocka_unit_test(mesh_of_a_body_must_be_closed_and_oriented),
        cmocka_unit_test(inertia_turns_with_the_body),
        cmocka_unit_test(velocity_gives_momentum_about_the_center),
        cmocka_unit_test(spin_about_a_principal_axis_is_uniform),
        cmocka_unit_test(tumbling_body_keeps_its_energy),
        cmocka_unit_test(moved_pose_turns_about_its_point),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
