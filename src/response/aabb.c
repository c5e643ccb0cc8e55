/* aabb.c: AAB 6: what is in a solid, or nearer to it than the thickness h, is put out. With X' where the ray from the
 * old place of a vertex through the new one hits the face:
 *
 *   X' nearer to the old place than the new one is:  X' + h * unit(old - X')   (the source's direction is misprinted)
 *   else nearer to X' than h:                        out to h along the face's normal; or, as the source has it, along
 *                                                    the ray to X' + h * unit(old - X'), which clears only h cos
 *
 * Velocities are the changes of place over the step (the source's are Verlet's); no friction, no restitution. Planes
 * and round shapes put cloth out to h along their normal. The source has no collisions of cloth with cloth: those pairs
 * are left as they are, and counted; nor solids that give way: the way out is shared with a rigid body by effective
 * mass, and the body gets the impulse of the cloth's share; what is deep in it comes out by and by. */
#include "response/classic.h"

/* By `way` along the unit n: of a rigid body that has cloth in it no more than stops the two and restores a gap. */
static void put_out(const mus_answer *answer, mus_row *row, double way, v3 n) {
    v3 slip = mus_answer_slip(answer, row);
    double most = fmax(0, -v3_dot(n, slip)) + mus_recovery_speed(row->thickness) * answer->dt;
    if (row->levered) way = fmin(way, most);
    if (way > 0) mus_answer_push(answer, row, v3_scale(way * row->mass, n));
}

static void out_of_surface(const mus_answer *answer, mus_row *row) {
    v3 now = v3_add(mus_answer_slip(answer, row), row->rest);
    put_out(answer, row, row->thickness - (v3_dot(row->normal, now) - row->offset), row->normal);
}

static void meet(const mus_answer *answer, mus_row *row, bool along_ray) {
    const mus_assembly *a = answer->assembly;
    if (a->bodies[row->body[0]].cloth && a->bodies[row->body[1]].cloth) return;
    if (row->plane || row->is_exact || row->edge_edge || a->bodies[row->body[0]].obstacle) {
        out_of_surface(answer, row);
        return;
    }
    const int32_t *v = row->vertex;
    v3 old = a->x0[v[0]], hit = v3_make(0, 0, 0), now = a->x1[v[0]];
    for (int k = 1; k < 4; k++) {
        old = v3_axpy(1.0 / 3, v3_sub(a->x1[v[k]], a->x0[v[k]]), old);
        hit = v3_axpy(-row->weight[k], a->x1[v[k]], hit);
    }
    v3 back = v3_sub(old, hit);
    double length = v3_length(back);
    back = length > 0 ? v3_scale(1 / length, back) : row->normal;
    v3 place = v3_axpy(row->thickness, back, hit);
    if (length >= v3_length(v3_sub(now, old)) && !along_ray) {
        double gap = v3_dot(row->normal, v3_sub(now, hit));
        place = v3_axpy(fmax(0, row->thickness - gap), row->normal, now);
    }
    v3 by = v3_sub(place, now);
    if (row->levered)
        put_out(answer, row, v3_length(by), v3_normalized(by));
    else
        mus_answer_move(answer, row, 0, by);
}

static void along_normal(const mus_answer *answer, mus_row *row) {
    meet(answer, row, false);
}
static void along_ray(const mus_answer *answer, mus_row *row) {
    meet(answer, row, true);
}
const mus_classic_response mus_response_aabb = {.name = "aabb", .rounds = 1, .bare = true, .meet = along_normal};
const mus_classic_response mus_response_aabb_ray = {.name = "aabb_ray", .rounds = 1, .bare = true, .meet = along_ray};
