/* dynamics.c: the structure shared by the integrators. */
#include "dynamics/dynamics.h"
#include "model/sheet.h"

#include <string.h>

static const int hinge_corners[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};

/* All pairs of vertices that share an element, in the order springs, hinges, faces of a membrane, plates (a vertex
 * that is missing, -1, makes no pair), or of a network its links, elements and joints. */
static int64_t collect_pairs(const mus_cloth *cloth, int32_t *pairs) {
    int64_t count = 0;
    for (int32_t k = 0; k < cloth->spring_count; k++, count++)
        pairs[2 * count] = cloth->springs[k].a, pairs[2 * count + 1] = (int32_t)cloth->springs[k].b;
    for (int32_t k = 0; k < cloth->hinge_count; k++)
        for (int p = 0; p < 6; p++, count++) {
            pairs[2 * count] = cloth->hinges[k].vertex[hinge_corners[p][0]];
            pairs[2 * count + 1] = cloth->hinges[k].vertex[hinge_corners[p][1]];
        }
    for (int32_t k = 0; cloth->sheet && k < 3 * cloth->face_count; k++, count++) {
        pairs[2 * count] = cloth->faces[k];
        pairs[2 * count + 1] = cloth->faces[k % 3 == 2 ? k - 2 : k + 1];
    }
    for (int32_t k = 0; cloth->sheet && k < cloth->sheet->plate_count; k++) {
        const int32_t *v = cloth->sheet->plates[k].vertex;
        for (int i = 0; i < 6; i++)
            for (int j = i + 1; j < 6; j++)
                if (v[i] >= 0 && v[j] >= 0) pairs[2 * count] = v[i], pairs[2 * count + 1] = v[j], count++;
    }
    const mus_network *w = cloth->network;
    for (int32_t k = 0; w && k < w->link_count; k++, count++)
        pairs[2 * count] = w->links[k].a, pairs[2 * count + 1] = w->links[k].b;
    for (int32_t k = 0; w && k < w->cell_count; k++)
        for (int p = 0; p < 6; p++, count++) {
            pairs[2 * count] = w->cells[k].vertex[hinge_corners[p][0]];
            pairs[2 * count + 1] = w->cells[k].vertex[hinge_corners[p][1]];
        }
    for (int32_t k = 0; w && k < w->joint_count; k++)
        for (int p = 0; p < 3; p++, count++) {
            pairs[2 * count] = w->joints[k].vertex[p == 2 ? 0 : p];
            pairs[2 * count + 1] = w->joints[k].vertex[p == 2 ? 2 : p + 1];
        }
    return count;
}

static size_t network_pairs(const mus_cloth *cloth) {
    const mus_network *w = cloth->network;
    return w ? (size_t)w->link_count + 6 * (size_t)w->cell_count + 3 * (size_t)w->joint_count : 0;
}

size_t mus_dynamics_max_pair_count(const mus_cloth *cloth) {
    size_t edges = cloth->sheet ? 3 * (size_t)cloth->face_count : 0;
    size_t plates = cloth->sheet ? 15 * (size_t)cloth->sheet->plate_count : 0;
    return (size_t)cloth->spring_count + 6 * (size_t)cloth->hinge_count + edges + plates + network_pairs(cloth);
}

int64_t mus_dynamics_collect(const mus_cloth *cloth, int32_t first, int32_t *pairs) {
    int64_t count = collect_pairs(cloth, pairs);
    for (int64_t k = 0; k < 2 * count; k++) pairs[k] += first;
    return count;
}

static const int32_t *find_pairs(const mus_block_matrix *m, const int32_t *pairs, size_t count, uint8_t *found) {
    for (size_t k = 0; k < count; k++) found[k] = mus_block_matrix_place(m, pairs[2 * k], pairs[2 * k + 1]);
    return pairs + 2 * count;
}

static void find_all(mus_dynamics *d, const mus_cloth *cloth, const int32_t *pairs) {
    const int32_t *next = find_pairs(&d->matrix, pairs, (size_t)cloth->spring_count, d->spring_pair);
    next = find_pairs(&d->matrix, next, 6 * (size_t)cloth->hinge_count, d->hinge_pair);
    if (cloth->network) find_pairs(&d->matrix, next, network_pairs(cloth), d->network_pair);
    if (!cloth->sheet) return;
    find_pairs(&d->matrix, next, 3 * (size_t)cloth->face_count, d->face_pair);
    uint8_t *found = d->plate_pair;
    for (int32_t k = 0; k < cloth->sheet->plate_count; k++) {
        const int32_t *v = cloth->sheet->plates[k].vertex;
        for (int i = 0; i < 6; i++)
            for (int j = i + 1; j < 6; j++)
                *found++ = v[i] >= 0 && v[j] >= 0 ? mus_block_matrix_place(&d->matrix, v[i], v[j]) : 255;
    }
}

mus_status mus_dynamics_find(mus_dynamics *d, const mus_cloth *cloth) {
    int32_t *pairs = mus_new(sizeof(int32_t) * 2 * (mus_dynamics_max_pair_count(cloth) + 1));
    if (!pairs) return MUS_STATUS_NO_MEMORY;
    collect_pairs(cloth, pairs);
    find_all(d, cloth, pairs);
    mus_free(pairs);
    return MUS_STATUS_OK;
}

static mus_status build_matrix(mus_dynamics *d, const mus_cloth *cloth, int32_t *pairs) {
    int64_t count = collect_pairs(cloth, pairs);
    mus_status status = mus_block_matrix_create(&d->matrix, cloth->vertex_count, pairs, count);
    if (status != MUS_STATUS_OK) return status;
    const int32_t *hinge_pairs =
        pairs + 2 * (size_t)cloth->spring_count; /* the first three pairs of a hinge have its corners */
    status = mus_element_runs_create(pairs, 2, 2, cloth->spring_count, &d->springs);
    if (status == MUS_STATUS_OK) status = mus_element_runs_create(hinge_pairs, 12, 6, cloth->hinge_count, &d->hinges);
    if (status == MUS_STATUS_OK) status = mus_element_runs_create(cloth->faces, 3, 3, cloth->face_count, &d->faces);
    if (status != MUS_STATUS_OK) return status;
    d->local = mus_element_runs_are_local(&d->springs, cloth->vertex_count) &&
               mus_element_runs_are_local(&d->hinges, cloth->vertex_count) &&
               mus_element_runs_are_local(&d->faces, cloth->vertex_count);
    find_all(d, cloth, pairs);
    return cloth->network || cloth->sheet ? mus_block_matrix_make_general(&d->matrix) : MUS_STATUS_OK;
}

mus_status mus_dynamics_create(const mus_cloth *cloth, mus_dynamics **out) {
    *out = NULL;
    size_t springs = (size_t)cloth->spring_count, hinges = (size_t)cloth->hinge_count;
    mus_dynamics *d = mus_new(sizeof *d);
    if (!d) return MUS_STATUS_NO_MEMORY;
    size_t edges = cloth->sheet ? 3 * (size_t)cloth->face_count : 0;
    size_t plates = cloth->sheet ? 15 * (size_t)cloth->sheet->plate_count : 0;
    size_t network = network_pairs(cloth);
    int32_t *pairs = mus_new(sizeof(int32_t) * 2 * (mus_dynamics_max_pair_count(cloth) + 1));
    d->network_pair = mus_new(network + 1);
    d->plate_pair = mus_new(plates + 1);
    d->face_pair = mus_new(edges + 1);
    d->spring_pair = mus_new(springs + 1);
    d->hinge_pair = mus_new(6 * hinges + 1);
    bool is_measured = cloth->sheet && cloth->material.model == MUS_MODEL_MEASURED;
    if (is_measured) d->moduli = mus_new(sizeof *d->moduli * ((size_t)cloth->face_count + 1));
    bool all = (d->moduli || !is_measured) && pairs && d->spring_pair && d->hinge_pair && d->face_pair &&
               d->plate_pair && d->network_pair;
    mus_status status = all ? mus_bend_create(cloth, &d->bend) : MUS_STATUS_NO_MEMORY;
    if (status == MUS_STATUS_OK) status = build_matrix(d, cloth, pairs);
    mus_free(pairs);
    if (status == MUS_STATUS_OK) {
        mus_lender lender = {0};
        mus_dynamics_borrow(d, &lender);
        lender = (mus_lender){mus_new(lender.used), 0};
        mus_dynamics_borrow(d, &lender);
        d->scratch = lender.base;
        if (!d->scratch) status = MUS_STATUS_NO_MEMORY;
    }
    if (status == MUS_STATUS_OK)
        *out = d;
    else
        mus_dynamics_free(d);
    return status;
}

void mus_dynamics_borrow(mus_dynamics *d, mus_lender *lender) {
    size_t n = (size_t)d->matrix.n;
    mus_free(d->scratch);
    d->scratch = NULL;
    mus_block_matrix_borrow(&d->matrix, lender);
    mus_lend(lender, &d->force, sizeof(v3) * n);
    mus_lend(lender, &d->change, sizeof(v3) * n);
    mus_lend(lender, &d->guess, sizeof(v3) * n);
    mus_lend(lender, &d->residual_scale, sizeof(v3) * n);
    mus_lend(lender, &d->free, sizeof(double) * n);
}

void mus_dynamics_free(mus_dynamics *d) {
    if (!d) return;
    if (!d->in_seam_group) mus_block_matrix_free(&d->matrix);
    mus_bend_free(&d->bend);
    mus_element_runs_free(&d->springs), mus_element_runs_free(&d->hinges), mus_element_runs_free(&d->faces);
    void *blocks[] = {
        d->spring_pair, d->hinge_pair, d->face_pair, d->plate_pair, d->network_pair, d->moduli, d->kept, d->scratch, d};
    for (size_t k = 0; k < sizeof blocks / sizeof blocks[0]; k++) mus_free(blocks[k]);
}
