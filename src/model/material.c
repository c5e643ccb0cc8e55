/* material.c: materials of cloth, with presets. Stretch and shear stiffness are those of the springs of the mesh;
 * bending is that of the hinges, in N m. */
#include "base/range.h"
#include "base/word.h"
#include "model/fabric.h"

#include <math.h>
#include <string.h>

/* Areal densities of common fabrics. With their bending rigidities a disc of 30 cm on a table of 18 cm casts as much
 * shadow as is published for such fabrics (Cusick's drape test, tests/accuracy/drape_test.lua). Membrane stiffness is
 * what a spring network supports at 1/240 s without visible stretch. As membranes they get the moduli of that network
 * on a square grid: its diagonals carry half of `shear` in shear, across and along. */
#define PRESET(title, mass, spring, diagonal, hinge, share, damp, bend_damp, limit)                                    \
    {                                                                                                                  \
        .name = title, .density = mass, .stretch = spring, .shear = diagonal, .bending = hinge, .compression = share,  \
        .damping = damp, .bending_damping = bend_damp, .drag = 1, .strain_limit = limit, .model = MUS_MODEL_SPRINGS,   \
        .stretch_warp = spring + 0.5 * diagonal, .stretch_weft = spring + 0.5 * diagonal,                              \
        .stretch_poisson = 0.5 * diagonal, .stretch_shear = 0.5 * diagonal, .bending_warp = -1, .bending_weft = -1,    \
        .bending_bias = -1, .buckling = -1, .fabric = -1                                                               \
    }
/* The fabrics of fabric.c by number. Damping and drag are not measured; the constants of springs apply if the model is
 * changed. */
#define MEASURED(title, mass, number)                                                                                  \
    {                                                                                                                  \
        .name = title, .density = mass, .stretch = 500, .shear = 500, .bending = 3e-5, .compression = 0.4,             \
        .damping = 2e-3, .bending_damping = 5e-3, .drag = 1, .model = MUS_MODEL_MEASURED, .stretch_warp = 750,         \
        .stretch_weft = 750, .stretch_poisson = 250, .stretch_shear = 250, .bending_warp = -1, .bending_weft = -1,     \
        .bending_bias = -1, .buckling = -1, .fabric = number                                                           \
    }
static const mus_material presets[] = {
    /* density, stretch, shear, bending, compression, damping, bending_damping, strain_limit */
    PRESET("cotton", 0.20, 500, 500, 1.5e-5, 0.4, 2e-3, 7e-4, 0.10),
    PRESET("silk", 0.08, 300, 120, 1.6e-6, 0.4, 1e-3, 5e-3, 0.10),
    PRESET("linen", 0.25, 900, 500, 4e-5, 0.4, 2e-3, 5e-3, 0.05),
    PRESET("wool", 0.30, 400, 250, 1.5e-5, 0.4, 4e-3, 1e-2, 0.10),
    PRESET("denim", 0.45, 2000, 1500, 8e-5, 0.4, 3e-3, 1e-2, 0.05),
    PRESET("jersey", 0.22, 120, 60, 5e-6, 0.4, 4e-3, 1e-2, 0.30),
    PRESET("leather", 0.90, 3000, 3000, 6e-5, 0.6, 5e-3, 2e-2, 0.05),
    MEASURED("11oz-black-denim", 0.324, 0),
    MEASURED("camel-ponte-roma", 0.284, 1),
    MEASURED("gray-interlock", 0.187, 2),
    MEASURED("ivory-rib-knit", 0.276, 3),
    MEASURED("navy-sparkle-sweat", 0.224, 4),
    MEASURED("pink-ribbon-brown", 0.228, 5),
    MEASURED("royal-target", 0.22, 6),
    MEASURED("tango-red-jet-set", 0.113, 7),
    MEASURED("white-dots-on-blk", 0.128, 8),
    MEASURED("white-swim-solid", 0.204, 9),
};
enum { PRESETS = sizeof presets / sizeof presets[0] };

mus_material mus_material_default(void) {
    return presets[0];
}

int32_t mus_material_get_preset_count(void) {
    return PRESETS;
}

const mus_material *mus_material_get_preset(int32_t index) {
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
    return mus_fail(MUS_STATUS_NOT_FOUND, "material: no preset '%s'%s", name, mus_hint_of(name, names).text);
}

const char *mus_material_model_get_name(mus_material_model model) {
    static const char *const names[] = {"springs",     "stvk",    "neo_hookean",   "measured",
                                        "mass_spring", "choi_ko", "square_network"};
    return (unsigned)model < MUS_MODEL_COUNT ? names[model] : "";
}

static mus_status check_membrane(const mus_material *m) {
    if (m->limit_stiffness > 0 && !(m->strain_limit > 0))
        return mus_fail(
            MUS_STATUS_INVALID,
            "material: field 'limit_stiffness' (%g N/m) needs a strain_limit > 0 above which it acts (got %s)",
            m->limit_stiffness, mus_word_of_number(m->strain_limit).text);
    if (m->model == MUS_MODEL_MEASURED) {
        if (mus_fabric_get(m->fabric)) return MUS_STATUS_OK;
        return mus_fail(MUS_STATUS_INVALID,
                        "material: the model 'measured' needs a measured fabric; start from a preset such as '%s'",
                        mus_fabric_get(0)->name);
    }
    if (!(m->stretch_poisson * m->stretch_poisson <= m->stretch_warp * m->stretch_weft))
        return mus_fail(MUS_STATUS_INVALID,
                        "material: field 'stretch_poisson' must lie within +-sqrt(stretch_warp stretch_weft) = %g N/m "
                        "(got %g): else the cloth would gain energy by being stretched",
                        sqrt(m->stretch_warp * m->stretch_weft), m->stretch_poisson);
    double warp = m->bending_warp < 0 ? m->bending : m->bending_warp;
    double weft = m->bending_weft < 0 ? m->bending : m->bending_weft;
    double bias = m->bending_bias < 0 ? m->bending : m->bending_bias;
    double most = 0.95 * mus_largest_bias(warp, weft);
    if (!(isfinite(warp) && isfinite(weft) && bias <= most))
        return mus_fail(
            MUS_STATUS_INVALID,
            "material: field 'bending_bias' must be at most 0.95 of 4/(1/bending_warp + 1/bending_weft) = %g "
            "N m (got %g): a strip cut at 45 degrees cannot be stiffer",
            most, bias);
    if (m->model != MUS_MODEL_NEO_HOOKEAN) return MUS_STATUS_OK;
    double least = m->stretch_poisson + 2 * m->stretch_shear;
    if (!(m->stretch_poisson + m->stretch_shear > 0))
        return mus_fail(MUS_STATUS_INVALID,
                        "material: the model 'neo_hookean' needs stretch_poisson + stretch_shear > 0 N/m (got %g + %g)",
                        m->stretch_poisson, m->stretch_shear);
    if (!(m->stretch_warp >= least && m->stretch_weft >= least))
        return mus_fail(MUS_STATUS_INVALID,
                        "material: the model 'neo_hookean' needs stretch_warp and stretch_weft of at least "
                        "stretch_poisson + 2 stretch_shear = %g N/m (got %g and %g); lower the shear, or take "
                        "model = \"stvk\"",
                        least, m->stretch_warp, m->stretch_weft);
    return MUS_STATUS_OK;
}

static mus_status check_value(const char *field, double value) {
    if (mus_is_value(value)) return MUS_STATUS_OK;
    return mus_fail(MUS_STATUS_INVALID, "material: field '%s' must lie within +-%g (got %g)", field, MUS_LARGEST_VALUE,
                    value);
}

static mus_status check_plastic_stretch(const mus_material *m) {
    if (!(m->yield_strain > 0) && m->stretch_hardening > 0)
        return mus_fail(MUS_STATUS_INVALID, "material: field 'stretch_hardening' needs yield_strain > 0");
    if (!(m->yield_strain > 0)) return MUS_STATUS_OK;
    if (m->model == MUS_MODEL_SQUARE_NETWORK)
        return mus_fail(MUS_STATUS_INVALID, "material: field 'yield_strain' is of all models but '%s'",
                        mus_material_model_get_name(m->model));
    if (m->limit_stiffness > 0)
        return mus_fail(MUS_STATUS_INVALID,
                        "material: field 'yield_strain' needs limit_stiffness = 0 (got %g N/m): that stiffness is of "
                        "the elastic strain, and strain_limit of the whole",
                        m->limit_stiffness);
    return MUS_STATUS_OK;
}

static mus_status check_creases(const mus_material *m) {
    if (!(m->yield_curvature > 0) && m->bending_hardening > 0)
        return mus_fail(MUS_STATUS_INVALID, "material: field 'bending_hardening' needs yield_curvature > 0, 1/m");
    if (!(m->yield_curvature > 0) && !(m->yield_strain > 0) && m->recovery_time > 0)
        return mus_fail(MUS_STATUS_INVALID,
                        "material: field 'recovery_time' needs yield_curvature > 0, 1/m, or yield_strain > 0");
    if (!(m->yield_curvature > 0)) return MUS_STATUS_OK;
    if (m->model == MUS_MODEL_SPRINGS || (mus_model_is_membrane(m->model) && !m->bending_quadratic))
        return MUS_STATUS_OK;
    return mus_fail(MUS_STATUS_INVALID,
                    "material: field 'yield_curvature' needs the model 'springs', 'stvk', 'neo_hookean' or 'measured' "
                    "with bending_model = 'hinge' (got '%s'%s)",
                    mus_material_model_get_name(m->model), m->bending_quadratic ? " with 'quadratic'" : "");
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
                  {"viscous_damping", m->viscous_damping},
                  {"drag", m->drag},
                  {"strain_limit", m->strain_limit},
                  {"limit_stiffness", m->limit_stiffness},
                  {"stretch_warp", m->stretch_warp},
                  {"stretch_weft", m->stretch_weft},
                  {"stretch_shear", m->stretch_shear},
                  {"yield_curvature", m->yield_curvature},
                  {"bending_hardening", m->bending_hardening},
                  {"yield_strain", m->yield_strain},
                  {"stretch_hardening", m->stretch_hardening},
                  {"recovery_time", m->recovery_time}};
    if (!(m->density > 0) || !isfinite(m->density))
        return mus_fail(MUS_STATUS_INVALID, "material: field 'density' must be > 0 kg/m^2 (got %s)",
                        mus_word_of_number(m->density).text);
    for (size_t k = 0; k < sizeof fields / sizeof fields[0]; k++)
        if (!(fields[k].value >= 0) || !isfinite(fields[k].value))
            return mus_fail(MUS_STATUS_INVALID, "material: field '%s' must be >= 0 and finite (got %s)",
                            fields[k].field, mus_word_of_number(fields[k].value).text);
    mus_status status = mus_check_range("material: field 'density'", MUS_RANGE_POSITIVE, "kg/m^2", m->density);
    for (size_t k = 0; k < sizeof fields / sizeof fields[0] && status == MUS_STATUS_OK; k++)
        status = check_value(fields[k].field, fields[k].value);
    const struct {
        const char *field;
        double value;
    } others[] = {{"warp_angle", m->warp_angle},           {"buckling", m->buckling},
                  {"stretch_poisson", m->stretch_poisson}, {"bending_warp", m->bending_warp},
                  {"bending_weft", m->bending_weft},       {"bending_bias", m->bending_bias}};
    for (size_t k = 0; k < sizeof others / sizeof others[0] && status == MUS_STATUS_OK; k++)
        if (isfinite(others[k].value)) status = check_value(others[k].field, others[k].value);
    if (status != MUS_STATUS_OK) return status;
    if (m->compression > 1)
        return mus_fail(MUS_STATUS_INVALID, "material: field 'compression' is a share, 0..1 (got %s)",
                        mus_word_of_number(m->compression).text);
    if ((unsigned)m->model >= MUS_MODEL_COUNT)
        return mus_fail(MUS_STATUS_INVALID, "material: field 'model' must be one of enum mus_material_model (got %d)",
                        (int)m->model);
    if (!isfinite(m->warp_angle))
        return mus_fail(MUS_STATUS_INVALID, "material: field 'warp_angle' must be finite, rad (got %s)",
                        mus_word_of_number(m->warp_angle).text);
    if (isnan(m->buckling) || m->buckling == INFINITY)
        return mus_fail(MUS_STATUS_INVALID, "material: field 'buckling' must be finite, N/m (got %s)",
                        mus_word_of_number(m->buckling).text);
    status = check_creases(m);
    if (status == MUS_STATUS_OK) status = check_plastic_stretch(m);
    if (status != MUS_STATUS_OK) return status;
    bool springs = m->model == MUS_MODEL_SPRINGS || m->model == MUS_MODEL_MASS_SPRING || m->model == MUS_MODEL_CHOI_KO;
    springs |= m->model == MUS_MODEL_SQUARE_NETWORK; /* its constants are independent of each other */
    return springs ? MUS_STATUS_OK : check_membrane(m);
}
