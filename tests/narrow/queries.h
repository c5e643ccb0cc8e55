/* queries.h: readers of published continuous queries (ratios of integers, CSV) and of generated ones (.ccdq). */
#ifndef MUS_TESTS_QUERIES_H
#define MUS_TESTS_QUERIES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gmp.h>

#include "base/vec.h"

typedef struct ccd_query {
    v3 x0[4], x1[4];
    bool hit;
    double toi_low, toi_high; /* enclosure of the earliest contact; 2: none; -1: not known */
} ccd_query;

/* One coordinate "numerator,denominator": the ratio must be a double exactly. */
static inline bool query_ratio(char **text, double *value) {
    char *end = strchr(*text, ',');
    if (!end) return false;
    *end = 0;
    char *den = end + 1;
    char *stop = strchr(den, ',');
    if (!stop) return false;
    *stop = 0;
    mpq_t q, back;
    mpq_inits(q, back, NULL);
    bool good = mpz_set_str(mpq_numref(q), *text, 10) == 0 && mpz_set_str(mpq_denref(q), den, 10) == 0 &&
                mpz_sgn(mpq_denref(q)) != 0;
    if (good) {
        mpq_canonicalize(q);
        *value = mpq_get_d(q);
        mpq_set_d(back, *value);
        good = mpq_equal(q, back) != 0;
    }
    mpq_clears(q, back, NULL);
    *text = stop + 1;
    return good;
}

/* Reads a whole CSV; NULL when it is absent or malformed. The caller frees. */
static inline ccd_query *queries_read_csv(const char *path, int *count) {
    FILE *file = fopen(path, "r");
    *count = 0;
    if (!file) return NULL;
    ccd_query *all = NULL;
    char line[4096];
    bool good = true;
    int row = 0;
    for (; good && fgets(line, sizeof line, file); row++) {
        if (row % 8 == 0) {
            all = realloc(all, (size_t)(row / 8 + 1) * sizeof *all);
            if (!all) abort();
        }
        ccd_query *q = &all[row / 8];
        v3 *x = row % 8 < 4 ? &q->x0[row % 8] : &q->x1[row % 8 - 4];
        char *at = line;
        good = query_ratio(&at, &x->x) && query_ratio(&at, &x->y) && query_ratio(&at, &x->z);
        q->hit = atoi(at) != 0;
        q->toi_low = q->toi_high = q->hit ? -1 : 2;
    }
    fclose(file);
    if (!good || row % 8 != 0) {
        free(all);
        return NULL;
    }
    *count = row / 8;
    return all;
}

/* Reads "CCDQ0001", u32 kind, u32 n, n x 24 f64, n u8 results, n f64 toi_low, n f64 toi_high. */
static inline ccd_query *queries_read_binary(const char *path, int *count, int *kind) {
    FILE *file = fopen(path, "rb");
    *count = 0;
    if (!file) return NULL;
    char magic[8];
    uint32_t head[2];
    ccd_query *all = NULL;
    bool good = fread(magic, 1, 8, file) == 8 && memcmp(magic, "CCDQ0001", 8) == 0 && fread(head, 4, 2, file) == 2;
    if (good) {
        *kind = (int)head[0];
        all = calloc(head[1], sizeof *all);
        if (!all) abort();
        for (uint32_t i = 0; good && i < head[1]; i++)
            good = fread(all[i].x0, 8, 12, file) == 12 && fread(all[i].x1, 8, 12, file) == 12;
        for (uint32_t i = 0; good && i < head[1]; i++) {
            int c = fgetc(file);
            good = c != EOF;
            all[i].hit = c == 1;
        }
        for (uint32_t i = 0; good && i < head[1]; i++) good = fread(&all[i].toi_low, 8, 1, file) == 1;
        for (uint32_t i = 0; good && i < head[1]; i++) good = fread(&all[i].toi_high, 8, 1, file) == 1;
        *count = (int)head[1];
    }
    fclose(file);
    if (!good) {
        free(all);
        return NULL;
    }
    return all;
}

#endif
