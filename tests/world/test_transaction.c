/* test_transaction.c: a step that fails, wherever it fails, leaves a world bit for bit as it was, and the run that goes
 * on afterwards is the run in which nothing had failed. */
#include "scene.h"
#include "world/world_state.h"

typedef enum site {
    BEFORE,
    FORCES,
    CANDIDATE,
    CONTACTS,
    AFTER,
    MOTION,
    PATH,
    RULE,
    CANCEL,
    NAN_FORCE,
    NAN_CANDIDATE,
    NAN_MOTION,
    NAN_PATH,
    NAN_IMPULSE,
    SITES
} site;
static const char *const site_names[] = {"before_step",
                                         "forces",
                                         "candidate",
                                         "contacts",
                                         "after_step",
                                         "motion",
                                         "path",
                                         "rule",
                                         "cancelled",
                                         "a force",
                                         "a candidate pair",
                                         "a place of a motion",
                                         "a place of a path",
                                         "an impulse"};

typedef struct play {
    mus_world *world;
    mus_cloth_id low, high;
    mus_obstacle_id ball, mesh;
    int fail; /* site, -1: none */
    int polls, calls[SITES];
} play;

static bool strikes(play *p, int at) {
    p->calls[at]++;
    return p->fail == at;
}

/* Everything a hook may do, so that there is something to undo. */
static void mischief(play *p) {
    mus_world *w = p->world;
    (void)mus_world_next_random(w);
    double *x = mus_cloth_get_positions(w, p->high), *v = mus_cloth_get_velocities(w, p->low),
           *f = mus_cloth_get_forces(w, p->high);
    for (int32_t i = 0; i < 3 * mus_cloth_get_vertex_count(w, p->high); i++) x[i] += 0.01, f[i] = 7;
    for (int32_t i = 0; i < 3 * mus_cloth_get_vertex_count(w, p->low); i++) v[i] = 1;
    must(mus_cloth_unpin(w, p->low, NULL, 0));
    must(mus_cloth_pin(w, p->high, (int32_t[]){5, 6}, 2));
    must(mus_world_set_gravity(w, (double[3]){1, 2, 3}));
    must(mus_world_set_wind(w, (double[3]){3, 2, 1}));
}

static mus_status failing(play *p, int at) {
    if (!strikes(p, at)) return MUS_STATUS_OK;
    mischief(p);
    return mus_fail(MUS_STATUS_HOOK, "%s strikes", site_names[at]);
}

static mus_status before_step(mus_world *world, double t, void *user) {
    play *p = user;
    double *v = mus_cloth_get_velocities(world, p->high);
    v[0] += 0.01 * mus_world_next_random(world);
    (void)t;
    return failing(p, BEFORE);
}
static mus_status forces(mus_world *world, double t, void *user) {
    play *p = user;
    double *f = mus_cloth_get_forces(world, p->high);
    for (int32_t i = 0; i < mus_cloth_get_vertex_count(world, p->high); i++) f[3 * i] += 1e-4 * (1 + t);
    if (strikes(p, NAN_FORCE)) f[4] = NAN;
    return failing(p, FORCES);
}
static mus_status candidate(mus_world *world, double t, void *user) {
    play *p = user;
    (void)t;
    mus_cloth_get_positions(world, p->high)[7] += 1e-6;
    if (strikes(p, NAN_CANDIDATE)) mus_cloth_get_positions(world, p->high)[10] = NAN;
    return failing(p, CANDIDATE);
}
static mus_status contacts(mus_world *world, double t, void *user) {
    int64_t count;
    (void)t;
    (void)mus_world_get_contacts(world, &count);
    return failing(user, CONTACTS);
}
static mus_status after_step(mus_world *world, double t, void *user) {
    play *p = user;
    (void)t;
    mus_cloth_get_velocities(world, p->high)[3] *= 0.999;
    return failing(p, AFTER);
}
static bool cancelled(void *user) {
    play *p = user;
    return strikes(p, CANCEL) && ++p->polls == 2; /* not at the first chance */
}
static mus_status motion(void *user, double t, mus_pose *pose) {
    play *p = user;
    pose->position[0] = 0.2 * t;
    turn(pose->rotation, v3_make(0, 1, 0), t);
    if (strikes(p, NAN_MOTION)) pose->position[1] = NAN;
    return strikes(p, MOTION) ? mus_fail(MUS_STATUS_HOOK, "motion strikes") : MUS_STATUS_OK;
}
static mus_status path(void *user, double t, int32_t vertex, double position[3]) {
    play *p = user;
    (void)vertex;
    position[1] += 0.05 * t;
    if (strikes(p, NAN_PATH)) position[1] = INFINITY;
    return strikes(p, PATH) ? mus_fail(MUS_STATUS_HOOK, "path strikes") : MUS_STATUS_OK;
}
static mus_status rule(void *user, const mus_contact *c, double impulse[2][3]) {
    play *p = user;
    double speed = -v3_dot(v3_load(c->normal), v3_load(c->velocity));
    v3_store(impulse[0], v3_scale(speed > 0 ? speed * c->mass : 0, v3_load(c->normal)));
    if (strikes(p, NAN_IMPULSE)) impulse[0][2] = NAN;
    return failing(p, RULE);
}

static void make(play *p) {
    *p = (play){.fail = -1};
    mus_world_def def = mus_world_def_default();
    def.dt = 1.0 / 120, def.threads = 2;
    must(mus_world_create(&def, &p->world));
    mus_cloth_def cloth = mus_cloth_def_default();
    cloth.name = "low";
    p->low = add_cloth(p->world, grid_mesh(9, 9, 0.3, 0.3, "xz", v3_make(0, 0.152, 0)), cloth);
    cloth.name = "high";
    v3_store(cloth.velocity, v3_make(0.3, -2, 0));
    p->high = add_cloth(p->world, grid_mesh(7, 7, 0.2, 0.2, "xz", v3_make(0.03, 0.17, 0.02)), cloth);
    add_plane(p->world, v3_make(0, 1, 0), v3_make(0, 0, 0), 0.3);
    p->ball = add_sphere(p->world, 0.15, v3_make(0, 0, 0), 0.2);
    must(mus_obstacle_set_motion(p->world, p->ball, motion, p));
    must(mus_cloth_pin(p->world, p->low, (int32_t[]){0}, 1));
    must(mus_cloth_pin_to_obstacle(p->world, p->low, (int32_t[]){8}, 1, p->ball));
    must(mus_cloth_pin_to_path(p->world, p->low, (int32_t[]){72}, 1, path, p));
    mus_response_def response = mus_response_def_default();
    response.callback = rule, response.user = p, response.between[0] = mus_object_from_cloth(p->high);
    response.between[1] = mus_object_from_cloth(p->low);
    mus_response_id id;
    must(mus_response_create(p->world, &response, &id));
    mus_callbacks hooks = {
        mus_callbacks_default().cookie, p, before_step, forces, candidate, contacts, after_step, cancelled};
    mus_world_set_callbacks(p->world, &hooks);
}

/* All that makes a state, as bytes. */
typedef struct image {
    unsigned char *bytes;
    size_t size;
} image;

static void append(image *m, const void *data, size_t size) {
    m->bytes = realloc(m->bytes, m->size + size);
    memcpy(m->bytes + m->size, data, size);
    m->size += size;
}

static image image_of(mus_world *w) {
    image m = {0};
    double time = mus_world_get_time(w);
    int64_t index = mus_world_get_step_index(w);
    uint64_t hash = mus_world_get_hash(w);
    append(&m, &time, sizeof time), append(&m, &index, sizeof index), append(&m, &hash, sizeof hash);
    append(&m, mus_world_get_def(w), sizeof(mus_world_def));
    append(&m, &w->rng, sizeof w->rng);
    append(&m, &w->stats, sizeof w->stats);
    append(&m, &w->validated, sizeof w->validated);
    append(&m, &w->paths.count, sizeof w->paths.count);
    for (int32_t k = 0; k < mus_world_get_cloth_count(w); k++) {
        mus_cloth_id id = mus_world_get_cloth(w, k);
        const mus_cloth *cloth = mus_world_find_cloth(w, id);
        size_t n = (size_t)cloth->vertex_count;
        append(&m, cloth->x, 24 * n), append(&m, cloth->v, 24 * n), append(&m, cloth->f, 24 * n);
        append(&m, cloth->inverse_mass, 8 * n), append(&m, &cloth->pin_count, sizeof cloth->pin_count);
        for (size_t i = 0; i < n; i++) { /* room for pins may be there or not */
            mus_pin none = {0}, *pin = cloth->pins ? &cloth->pins[i] : &none;
            append(&m, pin, sizeof *pin);
        }
    }
    for (int32_t k = 0; k < mus_world_get_obstacle_count(w); k++) {
        mus_pose pose;
        must(mus_obstacle_get_pose(w, mus_world_get_obstacle(w, k), &pose));
        append(&m, &pose, sizeof pose);
    }
    return m;
}

enum { STEPS = 24 };

static void test_every_site(void **state) {
    (void)state;
    uint64_t wanted[STEPS];
    play p;
    make(&p);
    int64_t seen = 0;
    for (int k = 0; k < STEPS; k++) {
        must(mus_world_step(p.world));
        wanted[k] = mus_world_get_hash(p.world);
        int64_t count;
        (void)mus_world_get_contacts(p.world, &count);
        seen += count;
    }
    assert_true(seen > 100);
    for (int s = 0; s < SITES; s++) assert_true(p.calls[s] > 0); /* every one has its chance */
    mus_world_destroy(p.world);

    const int moments[] = {0, 1, STEPS / 2, STEPS - 1};
    for (int s = 0; s < SITES; s++)
        for (int moment = 0; moment < 4; moment++) {
            make(&p);
            for (int k = 0; k < STEPS; k++) {
                if (k >= moments[moment] && p.fail == -1) {
                    image before = image_of(p.world);
                    p.fail = s, p.polls = 0;
                    int calls = p.calls[s];
                    mus_status status = mus_world_step(p.world);
                    p.fail = -1;
                    if (p.calls[s] == calls || status == MUS_STATUS_OK) { /* no contact yet for the rule */
                        assert_int_equal(status, MUS_STATUS_OK);
                        assert_true(s == RULE || s == NAN_IMPULSE);
                        free(before.bytes);
                        assert_true(mus_world_get_hash(p.world) == wanted[k]);
                        continue;
                    }
                    assert_int_equal(status, s == CANCEL          ? MUS_STATUS_CANCELLED
                                             : s == NAN_CANDIDATE ? MUS_STATUS_NO_SAFE_STEP
                                             : s > CANCEL         ? MUS_STATUS_INVALID
                                                                  : MUS_STATUS_HOOK);
                    if (s < CANCEL) assert_non_null(strstr(mus_get_error_message(), "strikes"));
                    assert_false(mus_world_is_locked(p.world));
                    image after = image_of(p.world);
                    assert_true(before.size == after.size);
                    for (size_t b = 0; b < before.size; b++)
                        if (before.bytes[b] != after.bytes[b])
                            fail_msg("failing in %s at step %d changes byte %zu of %zu", site_names[s], k, b,
                                     before.size);
                    free(before.bytes), free(after.bytes);
                    int64_t count;
                    (void)mus_world_get_contacts(p.world, &count);
                    assert_int_equal(count, 0); /* those of the failed step are undone with it */
                    p.fail = -2;
                }
                must(mus_world_step(p.world));
                if (mus_world_get_hash(p.world) != wanted[k])
                    fail_msg("after a failure in %s at step %d the run goes another way at step %d", site_names[s],
                             moments[moment], k);
            }
            mus_world_destroy(p.world);
        }
    assert_int_equal(mus_get_allocated_bytes(), 0);
}

/* What has no safe end is undone too: cloth between a floor and a plate that comes down to it. */
static void test_pinch(void **state) {
    (void)state;
    mus_world_def def = mus_world_def_default();
    mus_world *world;
    must(mus_world_create(&def, &world));
    mus_obstacle_def box = mus_obstacle_def_default();
    mus_obstacle_id floor;
    box.shape = MUS_SHAPE_BOX, box.name = "floor";
    box.size[0] = box.size[2] = 1, box.size[1] = 0.1, box.pose.position[1] = -0.05;
    must(mus_obstacle_create(world, &box, &floor));
    const descent_of_plate down = {0.11, 0.5};
    mus_obstacle_id plate = add_press(world, v3_make(1, 0.1, 1), &down);
    mus_cloth_id id =
        add_cloth(world, grid_mesh(6, 6, 0.2, 0.2, "xz", v3_make(0.01, 0.01, 0.02)), mus_cloth_def_default());
    mus_status status = MUS_STATUS_OK;
    image before = {0};
    int k = 0;
    for (; k < 60 && status == MUS_STATUS_OK; k++) {
        free(before.bytes);
        before = image_of(world);
        status = mus_world_step(world);
        mus_audit_report report;
        must(mus_world_audit(world, 1e-4, &report));
        assert_int_equal(report.finding_count, 0);
        mus_audit_report_destroy(&report);
    }
    assert_int_equal(status, MUS_STATUS_NO_SAFE_STEP);
    assert_true(k > 20); /* the plate's 60 mm at 0.5 m/s: 28 steps */
    assert_non_null(strstr(mus_get_error_message(), "plate"));
    image after = image_of(world);
    assert_true(before.size == after.size && memcmp(before.bytes, after.bytes, before.size) == 0);
    free(before.bytes), free(after.bytes);
    must(mus_obstacle_set_motion(world, plate, NULL, NULL)); /* it stops, and the run goes on */
    for (k = 0; k < 20; k++) must(mus_world_step(world));
    assert_true(v3_finite(vertex_of(world, id, 0)));
    mus_world_destroy(world);
}

static bool third_poll(void *user) {
    return ++*(int *)user == 3; /* and returns false, should it be called again */
}

/* Stiff cloth takes hundreds of substeps under explicit integrators: the step is canceled between two of them. */
static void test_cancelled_between_substeps(void **state) {
    (void)state;
    static const char *const names[] = {"explicit_euler", "semi_implicit_euler", "verlet", "rk4"};
    for (size_t k = 0; k < 2 * sizeof names / sizeof *names; k++) { /* each with and without a seam */
        mus_world *world;
        mus_world_def def = mus_world_def_default();
        def.pipeline.integrator = names[k / 2];
        must(mus_world_create(&def, &world));
        mus_cloth_id id =
            add_cloth(world, grid_mesh(9, 9, 0.08, 0.08, "xz", v3_make(0, 0, 0)), mus_cloth_def_default());
        if (k % 2) {
            mus_seam_def seam = mus_seam_def_default();
            mus_stitch stitch = {.vertex = 0, .onto = {80, 80}};
            seam.stitches = &stitch, seam.count = 1, seam.a = seam.b = id;
            mus_seam_id made;
            must(mus_seam_create(world, &seam, &made));
        }
        int polls = 0;
        mus_callbacks hooks = {mus_callbacks_default().cookie, .user = &polls, .cancelled = third_poll};
        mus_world_set_callbacks(world, &hooks);
        image before = image_of(world);
        assert_int_equal(mus_world_step(world), MUS_STATUS_CANCELLED);
        assert_int_equal(polls, 3);
        image after = image_of(world);
        assert_true(before.size == after.size && memcmp(before.bytes, after.bytes, before.size) == 0);
        free(before.bytes), free(after.bytes);
        must(mus_world_step(world));
        assert_true(polls > 40);
        mus_world_destroy(world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_site), cmocka_unit_test(test_pinch),
                                       cmocka_unit_test(test_cancelled_between_substeps)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
