/* compare_measure.c: measurements of a compared scene: every step's statistics, every frame's audit. */
#include "compare/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const double app_rest_speed = 0.01;

struct app_measure {
    double inside_tolerance;
    app_figures figures; /* fields of means contain sums until the result is requested */
    double *step_ms;
    int64_t capacity;
    bool no_memory;
    app_moments moments;
    double frame_ms; /* of the steps since the last frame */

    /* Momentum, see external_impulse. */
    double *x0; /* positions before the step, of all cloths */
    int64_t x0_capacity;
    bool known;              /* this step's impulses are all known, by its start */
    double before[3];        /* N s */
    double unexplained[3];   /* N s, sum over the counted steps */
    double external;         /* N s, sum of lengths */
    int32_t substeps_before; /* of the step before */
};

app_measure *app_measure_create(double inside_tolerance) {
    app_measure *m = calloc(1, sizeof *m);
    if (!m) return NULL;
    m->inside_tolerance = inside_tolerance;
    m->figures.rest_time = m->figures.speed = NAN;
    return m;
}

void app_measure_destroy(app_measure *m) {
    if (!m) return;
    app_moments_free(&m->moments);
    free(m->step_ms);
    free(m->x0);
    free(m);
}

/* ---- Momentum ------------------------------------------------------------------------------------------------------
 *
 * The momentum of all cloth changes by the impulses from outside: gravity, drag, friction against the world, the
 * forces of hooks, and obstacles' contacts as recorded by the solver. All other changes are drift: a rule whose
 * impulses do not balance, fail-safes that record no impulse, a solver that stopped early. A step counts if those
 * impulses are known: no vertex is pinned or pulled, and neither it nor the previous step was split (contacts are
 * those of the last substep, and velocities are staggered by the lengths of substeps). The first step is half a step
 * in staggered velocities, and does not count either. */

static void add_scaled(double a, const double b[3], double sum[3]) {
    for (int k = 0; k < 3; k++) sum[k] += a * b[k];
}

static double length(const double a[3]) {
    return sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
}

/* Momentum of all cloth; false when a vertex is pinned or pulled. */
static bool momentum(mus_world *world, double sum[3]) {
    memset(sum, 0, 3 * sizeof *sum);
    bool free_cloth = true;
    for (int32_t k = 0; k < mus_world_get_cloth_count(world); k++) {
        mus_cloth_id id = mus_world_get_cloth(world, k);
        const double *m = mus_cloth_get_masses(world, id), *w = mus_cloth_get_inverse_masses(world, id);
        const double *v = mus_cloth_get_velocities(world, id);
        for (int32_t i = 0; i < mus_cloth_get_vertex_count(world, id); i++) {
            add_scaled(m[i], v + 3 * (size_t)i, sum);
            free_cloth = free_cloth && w[i] > 0 && !(mus_cloth_get_pull_stiffness(world, id, i) > 0);
        }
    }
    return free_cloth;
}

static bool keep_positions(app_measure *m, mus_world *world) {
    int64_t total = 0, at = 0;
    int32_t cloths = mus_world_get_cloth_count(world);
    for (int32_t k = 0; k < cloths; k++)
        total += 3 * (int64_t)mus_cloth_get_vertex_count(world, mus_world_get_cloth(world, k));
    if (total > m->x0_capacity) {
        double *grown = realloc(m->x0, ((size_t)total + 1) * sizeof *grown);
        if (!grown) return false;
        m->x0 = grown, m->x0_capacity = total;
    }
    for (int32_t k = 0; k < cloths; k++) {
        mus_cloth_id id = mus_world_get_cloth(world, k);
        int64_t n = 3 * (int64_t)mus_cloth_get_vertex_count(world, id);
        memcpy(m->x0 + at, mus_cloth_get_positions(world, id), (size_t)n * sizeof *m->x0);
        at += n;
    }
    return true;
}

/* Air drag and viscous damping of a cloth as in the solver (AAB eq. 4 and 3): faces at the start of the step,
 * velocities at its end. */
static void add_drag(mus_world *world, mus_cloth_id id, const double *x, double force[3]) {
    const mus_world_def *def = mus_world_get_def(world);
    mus_material material;
    if (mus_cloth_get_material(world, id, &material) != MUS_STATUS_OK) return;
    const double *v = mus_cloth_get_velocities(world, id), *m = mus_cloth_get_masses(world, id);
    for (int32_t i = 0; material.viscous_damping > 0 && i < mus_cloth_get_vertex_count(world, id); i++)
        add_scaled(-material.viscous_damping * m[i], v + 3 * (size_t)i, force);
    double strength = 0.5 * def->air_density * material.drag;
    if (!(strength > 0)) return;
    const int32_t *faces = mus_cloth_get_faces(world, id);
    for (int32_t f = 0; f < mus_cloth_get_face_count(world, id); f++) {
        const int32_t *corner = faces + 3 * (size_t)f;
        double a[3], b[3], n[3], relative[3], along = 0;
        for (int k = 0; k < 3; k++) {
            a[k] = x[3 * (size_t)corner[1] + (size_t)k] - x[3 * (size_t)corner[0] + (size_t)k];
            b[k] = x[3 * (size_t)corner[2] + (size_t)k] - x[3 * (size_t)corner[0] + (size_t)k];
            double mean = 0;
            for (int c = 0; c < 3; c++) mean += v[3 * (size_t)corner[c] + (size_t)k] / 3;
            relative[k] = def->wind[k] - mean;
        }
        n[0] = a[1] * b[2] - a[2] * b[1], n[1] = a[2] * b[0] - a[0] * b[2], n[2] = a[0] * b[1] - a[1] * b[0];
        for (int k = 0; k < 3; k++) along += relative[k] * n[k]; /* twice the area times the normal velocity */
        add_scaled(0.5 * strength * fabs(along), relative, force);
    }
}

/* External impulse on all cloth in the last step, N s; `total` is the sum of the lengths of the contributions. False
 * if unknown. */
static bool external_impulse(app_measure *m, mus_world *world, const mus_stats *stats, double sum[3], double *total) {
    double force[3] = {0, 0, 0}, contact[3] = {0, 0, 0}, mass = 0;
    int64_t at = 0;
    for (int32_t k = 0; k < mus_world_get_cloth_count(world); k++) {
        mus_cloth_id id = mus_world_get_cloth(world, k);
        int32_t n = mus_cloth_get_vertex_count(world, id);
        const double *masses = mus_cloth_get_masses(world, id), *f = mus_cloth_get_forces(world, id);
        for (int32_t i = 0; i < n; i++) {
            mass += masses[i];
            add_scaled(1, f + 3 * (size_t)i, force);
        }
        add_drag(world, id, m->x0 + at, force);
        at += 3 * (int64_t)n;
    }
    add_scaled(mass, mus_world_get_def(world)->gravity, force);
    if (mus_world_get_obstacle_count(world) > 0) {
        int64_t count = 0;
        const mus_contact *contacts = mus_world_get_contacts(world, &count);
        if (!contacts && stats->contacts > 0) return false;
        for (int64_t k = 0; k < count; k++)
            if (contacts[k].object[0].kind == MUS_OBJECT_CLOTH && contacts[k].object[1].kind == MUS_OBJECT_OBSTACLE)
                add_scaled(1, contacts[k].impulse, contact);
    }
    double dt = mus_world_get_step_size(world);
    memcpy(sum, contact, sizeof contact);
    add_scaled(dt, force, sum);
    *total = dt * length(force) + length(contact);
    return true;
}

static void follow_momentum(app_measure *m, mus_world *world, const mus_stats *stats) {
    bool whole = stats->substeps == 1 && m->substeps_before == 1;
    m->substeps_before = stats->substeps;
    double after[3], external[3], total;
    if (!m->known || !whole || !momentum(world, after) || !external_impulse(m, world, stats, external, &total)) return;
    add_scaled(1, after, m->unexplained);
    add_scaled(-1, m->before, m->unexplained);
    add_scaled(-1, external, m->unexplained);
    m->external += total;
    m->figures.momentum_steps++;
}

/* ---- Steps and frames -------------------------------------------------------------------------------------------- */

static void count(double *sum, int64_t *most, int64_t value) {
    *sum += (double)value;
    if (value > *most) *most = value;
}

static bool keep_time(app_measure *m, double ms) {
    if (m->figures.steps == m->capacity) {
        int64_t capacity = m->capacity ? 2 * m->capacity : 1024;
        double *grown = realloc(m->step_ms, (size_t)capacity * sizeof *grown);
        if (!grown) return false;
        m->step_ms = grown, m->capacity = capacity;
    }
    m->step_ms[m->figures.steps++] = ms;
    return true;
}

void app_measure_step(void *measure, mus_world *world, bool after) {
    app_measure *m = measure;
    app_figures *f = &m->figures;
    if (!after) {
        m->known = momentum(world, m->before);
        if (m->known && !keep_positions(m, world)) m->known = false, m->no_memory = true;
        return;
    }
    mus_stats s;
    mus_world_get_stats(world, &s);
    if (!keep_time(m, s.step_ms)) m->no_memory = true;
    f->step_ms_mean += s.step_ms;
    m->frame_ms += s.step_ms;
    f->step_ms_max = fmax(f->step_ms_max, s.step_ms);
    count(&f->candidates_mean, &f->candidates_max, s.candidates);
    count(&f->tests_mean, &f->tests_max, s.ccd_tests);
    count(&f->contacts_mean, &f->contacts_max, s.contacts);
    count(&f->passes_mean, &f->passes_max, s.ccd_passes);
    count(&f->iterations_mean, &f->iterations_max, s.iterations);
    if (s.substeps > f->substeps_max) f->substeps_max = s.substeps;
    if (s.zones > f->zones_max) f->zones_max = s.zones;
    f->kinetic_energy = s.kinetic_energy;
    f->kinetic_energy_max = fmax(f->kinetic_energy_max, s.kinetic_energy);
    f->stretch = s.max_strain;
    f->stretch_max = fmax(f->stretch_max, s.max_strain);
    follow_momentum(m, world, &s);
}

static double fastest(mus_world *world) {
    double most2 = 0;
    for (int32_t k = 0; k < mus_world_get_cloth_count(world); k++) {
        mus_cloth_id id = mus_world_get_cloth(world, k);
        const double *v = mus_cloth_get_velocities(world, id);
        for (int32_t i = 0; i < mus_cloth_get_vertex_count(world, id); i++, v += 3)
            most2 = fmax(most2, v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    }
    return sqrt(most2);
}

/* One block for all fields. */
static bool keep_moment(app_measure *m, const double moment[APP_MOMENT_FIELDS]) {
    app_moments *all = &m->moments;
    if (all->count == all->capacity) {
        int64_t capacity = all->capacity ? 2 * all->capacity : 256;
        double *block = malloc((size_t)capacity * APP_MOMENT_FIELDS * sizeof *block);
        if (!block) return false;
        for (int k = 0; k < APP_MOMENT_FIELDS; k++)
            if (all->count > 0) memcpy(block + k * capacity, all->values[k], (size_t)all->count * sizeof *block);
        free(all->values[0]);
        for (int k = 0; k < APP_MOMENT_FIELDS; k++) all->values[k] = block + k * capacity;
        all->capacity = capacity;
    }
    for (int k = 0; k < APP_MOMENT_FIELDS; k++) all->values[k][all->count] = moment[k];
    all->count++;
    return true;
}

void app_moments_free(app_moments *moments) {
    free(moments->values[0]);
    *moments = (app_moments){0};
}

app_moments app_measure_moments(app_measure *m) {
    app_moments moments = m->moments;
    m->moments = (app_moments){0};
    return moments;
}

mus_status app_measure_frame(app_measure *m, mus_world *world, int64_t frame) {
    app_figures *f = &m->figures;
    if (m->no_memory) return mus_fail(MUS_STATUS_NO_MEMORY, "no memory to measure %lld steps", (long long)f->steps);
    mus_energy energy;
    mus_audit_report report = {0};
    mus_status status = mus_world_get_energy(world, &energy);
    if (status == MUS_STATUS_OK) status = mus_world_audit(world, m->inside_tolerance, &report);
    if (status != MUS_STATUS_OK) return status;
    mus_stats stats;
    mus_world_get_stats(world, &stats);
    const double moment[] = {mus_world_get_time(world),
                             frame > 0 ? m->frame_ms : NAN,
                             (double)stats.contacts,
                             energy.kinetic,
                             energy.total,
                             frame > 0 ? 100 * stats.max_strain : NAN,
                             (double)(report.intersections + report.inside)};
    m->frame_ms = 0;
    if (!keep_moment(m, moment)) m->no_memory = true;
    if (frame > 0) f->energy_rise = fmax(f->energy_rise, energy.total - f->energy);
    f->energy = energy.total;
    f->intersections_last = report.intersections;
    f->inside_last = report.inside;
    if (report.intersections > f->intersections_worst)
        f->intersections_worst = report.intersections, f->intersections_worst_frame = frame;
    if (report.inside > f->inside_worst) f->inside_worst = report.inside;
    f->depth_max = fmax(f->depth_max, report.max_depth);
    mus_audit_report_destroy(&report);
    f->frames = frame + 1;
    f->time = mus_world_get_time(world);
    f->hash = mus_world_get_hash(world);
    f->speed = fastest(world);
    /* Skips frame 0, in which the cloth has not begun to move. */
    if (frame > 0 && f->speed <= app_rest_speed)
        f->rest_time = isnan(f->rest_time) ? f->time : f->rest_time;
    else
        f->rest_time = NAN;
    return MUS_STATUS_OK;
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

app_figures app_measure_figures(app_measure *m) {
    app_figures f = m->figures;
    double n = (double)f.steps;
    double *const means[] = {&f.step_ms_mean,  &f.candidates_mean, &f.tests_mean,
                             &f.contacts_mean, &f.passes_mean,     &f.iterations_mean};
    for (size_t k = 0; k < sizeof means / sizeof *means; k++) *means[k] = n > 0 ? *means[k] / n : NAN;
    if (f.steps == 0) f.step_ms_max = f.kinetic_energy = f.kinetic_energy_max = f.stretch = f.stretch_max = NAN;
    f.step_ms_median = NAN;
    if (f.steps > 0) {
        qsort(m->step_ms, (size_t)f.steps, sizeof *m->step_ms, by_value);
        f.step_ms_median = 0.5 * (m->step_ms[(f.steps - 1) / 2] + m->step_ms[f.steps / 2]);
    }
    f.momentum_drift = m->external > 0 ? length(m->unexplained) / m->external : NAN;
    return f;
}
