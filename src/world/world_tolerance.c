/* world_tolerance.c: the tolerance of a world: checks, setter, and snapshots. */
#include "base/range.h"
#include "trace/program.h"
#include "world/snapshot.h"
#include "world/slots.h"

mus_status mus_world_check_tolerance(const mus_tolerance *t, const mus_solver_def *solver) {
    mus_status status = mus_check_range("world: field 'tolerance'", MUS_RANGE_LENGTH, "m", t->least);
    if (status == MUS_STATUS_OK)
        status = mus_check_range("world: field 'tolerance.pixel'", MUS_RANGE_AMOUNT, "rad", t->pixel);
    if (status == MUS_STATUS_OK)
        status = mus_check_range3("world: field 'tolerance.eye'", MUS_RANGE_COORDINATE, "m", t->eye);
    if (status != MUS_STATUS_OK) return status;
    if (t->place && mus_program_get_kind(t->place) != MUS_PROGRAM_TOLERANCE)
        return mus_fail(MUS_STATUS_INVALID, "world: field 'tolerance.place' must be a program of that kind");
    if (t->place && (t->least > 0 || t->pixel > 0))
        return mus_fail(MUS_STATUS_INVALID,
                        "world: field 'tolerance.place' replaces the other fields: leave out 'least' and 'pixel' (got "
                        "%g m and %g rad), and return the larger of them from the function",
                        t->least, t->pixel);
    if ((t->least > 0 || t->pixel > 0 || t->place) && !(solver->elementary && solver->elementary->approximates))
        return mus_fail(MUS_STATUS_INVALID,
                        "world: field 'tolerance' is for pipelines with narrow 'spherical', as the preset 'jung'; this "
                        "one's '%s' needs none: leave it out",
                        solver->elementary ? solver->elementary->name : "certified_ccd");
    return MUS_STATUS_OK;
}

void mus_world_keep_tolerance(mus_world *world, const mus_tolerance *tolerance) {
    if (tolerance->place && tolerance->place != world->tolerance_place) {
        mus_program_retain(tolerance->place);
        mus_program_release(world->tolerance_place);
        world->tolerance_place = tolerance->place;
    }
    world->def.tolerance = *tolerance;
    world->tolerance_missing = false;
}

/* A new program replaces the last one, which a failed step would have to restore. */
mus_status mus_world_set_tolerance(mus_world *world, const mus_tolerance *tolerance) {
    mus_status status = mus_world_check_tolerance(tolerance, &world->solver_def);
    if (status == MUS_STATUS_OK && world->locked && tolerance->place && tolerance->place != world->tolerance_place)
        status =
            mus_fail(MUS_STATUS_LOCKED, "world: field 'tolerance': another function of place cannot be set within a "
                                        "step; set it before the step, and make it depend on time or on a parameter");
    if (status != MUS_STATUS_OK) return status;
    mus_world_keep_tolerance(world, tolerance);
    mus_world_wake(world);
    return MUS_STATUS_OK;
}

/* A snapshot stores only whether there was a function: the world's own remains in use. */
void mus_world_tolerance_state(mus_archive *a, mus_world *world) {
    mus_tolerance *t = &world->def.tolerance;
    bool placed = t->place != NULL || world->tolerance_missing;
    mus_archive_f64(a, NULL, &t->least, 1);
    mus_archive_f64(a, NULL, t->eye, 3);
    mus_archive_f64(a, NULL, &t->pixel, 1);
    mus_archive_flag(a, NULL, &placed);
    mus_archive_within(a, "tolerance.least", &t->least, 1, 0, MUS_LARGEST_LENGTH);
    mus_archive_within(a, "tolerance.eye", t->eye, 3, -MUS_LARGEST_LENGTH, MUS_LARGEST_LENGTH);
    mus_archive_within(a, "tolerance.pixel", &t->pixel, 1, 0, MUS_LARGEST_VALUE);
    if (a->mode != MUS_ARCHIVE_READ || a->status != MUS_STATUS_OK) return;
    if (!a->trusted && !placed) {
        mus_tolerance bare = *t;
        bare.place = NULL;
        mus_archive_check(a, mus_world_check_tolerance(&bare, &world->solver_def));
        if (a->status != MUS_STATUS_OK) return;
    }
    t->place = placed ? world->tolerance_place : NULL;
    world->tolerance_missing = placed && !t->place;
    if (world->tolerance_missing && !world->incomplete)
        a->status = mus_fail(MUS_STATUS_INVALID,
                             "world: the tolerance is a function of place in the snapshot, and the world has not been "
                             "given one; set it first");
}
