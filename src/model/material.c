/* material.c: what a cloth is made of, with presets. Stretch and shear stiffness are those of the springs of the mesh;
 * bending is that of the hinges, in N m. */
#include "base/word.h"
#include "muslin.h"

#include <math.h>
#include <string.h>

/* Areal densities and bending rigidities of the order that Wang, O'Brien & Ramamoorthi 2011 measured for woven and
 * knitted fabrics; membrane stiffness is what a spring network carries at 1/240 s without visible stretch. */
static const mus_material presets[] = {
    /* name, density, stretch, shear, bend, bending, compression, damping, bending_damping, drag, strain_limit */
    {"cotton", 0.20, 500, 500, 0, 3e-5, 0.4, 2e-3, 5e-3, 1, 0.10},
    {"silk", 0.08, 300, 120, 0, 2e-6, 0.4, 1e-3, 5e-3, 1, 0.10},
    {"linen", 0.25, 900, 500, 0, 4e-5, 0.4, 2e-3, 5e-3, 1, 0.05},
    {"wool", 0.30, 400, 250, 0, 3e-5, 0.4, 4e-3, 1e-2, 1, 0.10},
    {"denim", 0.45, 2000, 1500, 0, 1.5e-4, 0.4, 3e-3, 1e-2, 1, 0.05},
    {"jersey", 0.22, 120, 60, 0, 5e-6, 0.4, 4e-3, 1e-2, 1, 0.30},
    {"leather", 0.90, 3000, 3000, 0, 1e-3, 0.6, 5e-3, 2e-2, 1, 0.05},
};
enum { PRESETS = sizeof presets / sizeof presets[0] };

mus_material mus_material_default(void) {
    return presets[0];
}

int32_t mus_material_count(void) {
    return PRESETS;
}

const mus_material *mus_material_preset(int32_t index) {
    return index >= 0 && index < PRESETS ? &presets[index] : NULL;
}

mus_status mus_material_find(const char *name, mus_material *material) {
    const char *names[PRESETS + 1] = {0};
    for (int k = 0; k < PRESETS; k++) {
        names[k] = presets[k].name;
        if (strcmp(names[k], name) == 0) {
            *material = presets[k];
            return MUS_STATUS_OK;
        }
    }
    return mus_fail(MUS_STATUS_NOT_FOUND, "material: no preset '%s' (nearest: '%s')", name,
                    mus_nearest_word(name, names));
}

mus_status mus_material_check(const mus_material *m) {
    const struct {
        const char *field;
        double value;
    } fields[] = {{"stretch", m->stretch},
                  {"shear", m->shear},
                  {"bend", m->bend},
                  {"bending", m->bending},
                  {"compression", m->compression},
                  {"damping", m->damping},
                  {"bending_damping", m->bending_damping},
                  {"drag", m->drag},
                  {"strain_limit", m->strain_limit}};
    if (!(m->density > 0) || !isfinite(m->density))
        return mus_fail(MUS_STATUS_INVALID, "material: field 'density' must be > 0 kg/m^2 (got %g)", m->density);
    for (size_t k = 0; k < sizeof fields / sizeof fields[0]; k++)
        if (!(fields[k].value >= 0) || !isfinite(fields[k].value))
            return mus_fail(MUS_STATUS_INVALID, "material: field '%s' must be >= 0 and finite (got %g)",
                            fields[k].field, fields[k].value);
    if (m->compression > 1)
        return mus_fail(MUS_STATUS_INVALID, "material: field 'compression' is a share, 0..1 (got %g)", m->compression);
    return MUS_STATUS_OK;
}
