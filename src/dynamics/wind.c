/* wind.c: runs a program of the kind WIND over the faces of a cloth, block by block; drag.c reads the result. */
#include "dynamics/wind.h"

int64_t mus_wind_register_count(const mus_program *p) {
    return (int64_t)((mus_program_memory_size(p) + MUS_TRACE_LINE) / sizeof(double));
}

static void gather(const mus_program *p, double *registers, const mus_cloth *cloth, int32_t first, int count) {
    const v3 *x = (const v3 *)cloth->x;
    for (int i = 0; i < count; i++) {
        const int32_t *corner = cloth->faces + 3 * (first + i);
        v3 middle = v3_scale(1.0 / 3, v3_add(v3_add(x[corner[0]], x[corner[1]]), x[corner[2]]));
        const double number[3] = {middle.x, middle.y, middle.z};
        for (int k = 0; k < 3; k++)
            if (mus_program_uses(p, MUS_INPUT_POSITION + k))
                mus_program_input(p, registers, MUS_INPUT_POSITION + k)[i] = number[k];
    }
}

bool mus_wind_add(const mus_program *p, mus_cloth *cloth, double time, double *memory, int32_t *face, v3 *wrong) {
    double *registers = mus_program_align(memory);
    const double *out[3];
    mus_program_begin(p, registers);
    for (int k = 0; k < 3; k++) out[k] = mus_program_output(p, registers, k);
    for (int i = 0; mus_program_uses(p, MUS_INPUT_TIME) && i < MUS_TRACE_BLOCK; i++)
        mus_program_input(p, registers, MUS_INPUT_TIME)[i] = time;
    for (int32_t at = 0; at < cloth->face_count; at += MUS_TRACE_BLOCK) {
        int count = cloth->face_count - at < MUS_TRACE_BLOCK ? cloth->face_count - at : MUS_TRACE_BLOCK;
        gather(p, registers, cloth, at, count);
        mus_program_block(p, registers, count);
        for (int i = 0; i < count; i++) {
            v3 by = v3_make(out[0][i], out[1][i], out[2][i]), *wind = &cloth->wind[at + i];
            if (!v3_finite(by)) {
                *face = at + i, *wrong = by;
                return false;
            }
            *wind = cloth->windy ? v3_add(*wind, by) : by;
        }
    }
    cloth->windy = true;
    return true;
}
