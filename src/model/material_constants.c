/* material_constants.c: the numbers of a material by their names, and which models use them. */
#include "muslin/material.h"

#include <stddef.h>

/* Which materials use a constant: OF_MODULI are membranes that are not measured, OF_GIVEN all that are not. */
enum {
    ANY,
    OF_SPRINGS,
    OF_BEND,
    OF_COMPRESSED,
    OF_BUCKLED,
    OF_SHEETS,
    OF_MODULI,
    OF_MEMBRANES,
    OF_GIVEN,
    OF_FOLDS,
    OF_PLASTIC
};

#define CONSTANT(name, use)                                                                                            \
    { #name, offsetof(mus_material, name), use }
static const struct {
    const char *name;
    size_t offset;
    int use;
} constants[] = {CONSTANT(density, ANY),
                 CONSTANT(stretch, OF_SPRINGS),
                 CONSTANT(shear, OF_SPRINGS),
                 CONSTANT(bend, OF_BEND),
                 CONSTANT(bending, OF_GIVEN),
                 CONSTANT(compression, OF_COMPRESSED),
                 CONSTANT(buckling, OF_BUCKLED),
                 CONSTANT(damping, ANY),
                 CONSTANT(bending_damping, ANY),
                 CONSTANT(viscous_damping, ANY),
                 CONSTANT(drag, ANY),
                 CONSTANT(strain_limit, ANY),
                 CONSTANT(stretch_warp, OF_SHEETS),
                 CONSTANT(stretch_weft, OF_SHEETS),
                 CONSTANT(stretch_poisson, OF_MODULI),
                 CONSTANT(stretch_shear, OF_SHEETS),
                 CONSTANT(warp_angle, OF_MEMBRANES),
                 CONSTANT(limit_stiffness, OF_MEMBRANES),
                 CONSTANT(bending_warp, OF_SHEETS),
                 CONSTANT(bending_weft, OF_SHEETS),
                 CONSTANT(bending_bias, OF_MODULI),
                 CONSTANT(yield_curvature, OF_FOLDS),
                 CONSTANT(bending_hardening, OF_FOLDS),
                 CONSTANT(yield_strain, OF_PLASTIC),
                 CONSTANT(stretch_hardening, OF_PLASTIC),
                 CONSTANT(recovery_time, OF_PLASTIC)};
enum { CONSTANT_COUNT = sizeof constants / sizeof *constants };

int mus_material_get_constant_count(void) {
    return CONSTANT_COUNT;
}

const char *mus_material_get_constant_name(int k) {
    return constants[k].name;
}

bool mus_material_uses_constant(const mus_material *material, int k) {
    bool springs = material->model == MUS_MODEL_SPRINGS || material->model == MUS_MODEL_MASS_SPRING ||
                   material->model == MUS_MODEL_CHOI_KO;
    bool measured = material->model == MUS_MODEL_MEASURED;
    bool buckled = material->model == MUS_MODEL_CHOI_KO, network = material->model == MUS_MODEL_SQUARE_NETWORK;
    switch (constants[k].use) {
    case OF_SPRINGS:
        return springs;
    case OF_BEND:
        return springs && !buckled;
    case OF_COMPRESSED:
        return (springs && !buckled) || network;
    case OF_BUCKLED:
        return buckled;
    case OF_SHEETS:
        return !springs && !measured;
    case OF_MODULI:
        return !springs && !measured && !network;
    case OF_MEMBRANES:
        return !springs && !network;
    case OF_FOLDS:
        return material->model == MUS_MODEL_SPRINGS || (!springs && !network);
    case OF_PLASTIC:
        return !network;
    case OF_GIVEN:
        return !measured;
    default:
        return true;
    }
}

const char *mus_material_get_constant_users(int k) {
    switch (constants[k].use) {
    case OF_SPRINGS:
        return "the models 'springs', 'mass_spring' and 'choi_ko'";
    case OF_BEND:
        return "the models 'springs' and 'mass_spring'";
    case OF_COMPRESSED:
        return "the models 'springs', 'mass_spring' and 'square_network'";
    case OF_SHEETS:
        return "the models 'stvk', 'neo_hookean' and 'square_network'";
    case OF_BUCKLED:
        return "the model 'choi_ko'";
    case OF_MEMBRANES:
        return "the models 'stvk', 'neo_hookean' and 'measured'";
    case OF_FOLDS:
        return "the models 'springs', 'stvk', 'neo_hookean' and 'measured'";
    case OF_PLASTIC:
        return "all models but 'square_network'";
    case OF_GIVEN:
        return "all models but 'measured'";
    default:
        return "the models 'stvk' and 'neo_hookean'";
    }
}

double *mus_material_constant_at(mus_material *material, int k) {
    return (double *)((char *)material + constants[k].offset);
}

double mus_material_get_constant(const mus_material *material, int k) {
    bool directed = constants[k].offset >= offsetof(mus_material, bending_warp) &&
                    constants[k].offset <= offsetof(mus_material, bending_bias);
    double value = *(const double *)((const char *)material + constants[k].offset);
    if (constants[k].use == OF_BUCKLED && value < 0) return material->stretch;
    return directed && value < 0 ? material->bending : value;
}
