/* block6.c: 6x6 blocks of rigid bodies and their Cholesky factors. */
#include "linear/block6.h"

#include <string.h>

void mus_block6_begin(double block[36], double mass, const m3 *inertia) {
    memset(block, 0, 36 * sizeof *block);
    for (int i = 0; i < 3; i++) {
        block[7 * i] = mass;
        for (int j = 0; j < 3; j++) block[6 * (i + 3) + j + 3] = v3_get(inertia->r[i], j);
    }
}

v3 mus_block6_motion(int k, v3 arm) {
    v3 unit = v3_make(k % 3 == 0, k % 3 == 1, k % 3 == 2);
    return k < 3 ? unit : v3_cross(unit, arm);
}

void mus_block6_add(double block[36], int k, v3 arm, v3 f) {
    v3 m = v3_cross(arm, f);
    for (int i = 0; i < 3; i++) block[6 * i + k] += v3_get(f, i), block[6 * (i + 3) + k] += v3_get(m, i);
}

void mus_block6_factor(double m[36]) {
    for (int j = 0; j < 6; j++)
        for (int i = j; i < 6; i++) {
            double sum = m[6 * i + j];
            for (int k = 0; k < j; k++) sum -= m[6 * i + k] * m[6 * j + k];
            m[6 * i + j] = i == j ? sqrt(sum) : sum / m[6 * j + j];
        }
}

void mus_block6_solve(const double m[36], v3 x[2]) {
    double y[6] = {x[0].x, x[0].y, x[0].z, x[1].x, x[1].y, x[1].z};
    for (int i = 0; i < 6; i++) {
        for (int k = 0; k < i; k++) y[i] -= m[6 * i + k] * y[k];
        y[i] /= m[6 * i + i];
    }
    for (int i = 5; i >= 0; i--) {
        for (int k = i + 1; k < 6; k++) y[i] -= m[6 * k + i] * y[k];
        y[i] /= m[6 * i + i];
    }
    x[0] = v3_load(y), x[1] = v3_load(y + 3);
}
