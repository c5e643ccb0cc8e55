/* stages.c: the table of stages, expanded from stages.inc. */
#include "world/stages.h"
#include "base/word.h"
#include "solve/potential/potential.h"

#include <math.h>
#include <string.h>

/* Families of pipelines that a stage fits. */
enum { IMPULSE = 1, POTENTIAL = 2, CLASSIC = 4, STEPPED = IMPULSE | CLASSIC, ANY = 7 };

typedef struct stage {
    mus_stage_info info;
    int families;
    const void *object;
} stage;

/* Material models of stages of the kind INTERNAL. */
static const mus_material_model mus_model_mass_spring = MUS_MODEL_MASS_SPRING, mus_model_choi_ko = MUS_MODEL_CHOI_KO,
                                mus_model_square_network = MUS_MODEL_SQUARE_NETWORK;

static const stage stages[] = {
#define MUS_INTEGRATOR(name, families, object, doc, citation)                                                          \
    {{MUS_STAGE_INTEGRATOR, #name, doc, citation}, families, object},
#define MUS_BROAD(name, families, object, doc, citation)  {{MUS_STAGE_BROAD, #name, doc, citation}, families, object},
#define MUS_NARROW(name, families, object, doc, citation) {{MUS_STAGE_NARROW, #name, doc, citation}, families, object},
#define MUS_RESPONSE(name, families, object, doc, citation)                                                            \
    {{MUS_STAGE_RESPONSE, #name, doc, citation}, families, object},
#define MUS_FAILSAFE(name, families, object, doc, citation)                                                            \
    {{MUS_STAGE_FAILSAFE, #name, doc, citation}, families, object},
#define MUS_STRAIN(name, families, object, doc, citation) {{MUS_STAGE_STRAIN, #name, doc, citation}, families, object},
#define MUS_INTERNAL(name, families, object, doc, citation)                                                            \
    {{MUS_STAGE_INTERNAL, #name, doc, citation}, families, object},
#include "stages.inc"
};
enum { STAGES = sizeof stages / sizeof stages[0] };

const char *mus_stage_kind_get_name(mus_stage_kind kind) {
    static const char *const names[MUS_STAGE_KIND_COUNT] = {"integrator", "broad",  "narrow",  "response",
                                                            "failsafe",   "strain", "internal"};
    return (int)kind >= 0 && kind < MUS_STAGE_KIND_COUNT ? names[kind] : "unknown";
}

int32_t mus_stage_get_count(void) {
    return STAGES;
}

const mus_stage_info *mus_stage_get(int32_t index) {
    return index >= 0 && index < STAGES ? &stages[index].info : NULL;
}

mus_pipeline mus_pipeline_default(void) {
    return (mus_pipeline){"implicit_euler", "box_tree", "certified_ccd", NULL, "zones", "sweep", "material", 0};
}

static mus_status find(mus_stage_kind kind, const char *name, const char *otherwise, const stage **found) {
    const char *names[STAGES + 1] = {0};
    int count = 0;
    if (!name) name = otherwise;
    for (int k = 0; k < STAGES; k++) {
        if (stages[k].info.kind != kind) continue;
        if (strcmp(stages[k].info.name, name) == 0) {
            *found = &stages[k];
            return MUS_STATUS_OK;
        }
        names[count++] = stages[k].info.name;
    }
    return mus_fail(MUS_STATUS_INVALID, "pipeline: field '%s' names no stage '%s'%s", mus_stage_kind_get_name(kind),
                    name, mus_hint_of(name, names).text);
}

/* The response of pipelines that name none: contacts are solved together with dynamics where the integrator permits. */
static const char *default_response(const stage *integrator) {
    const mus_integrator *advances = integrator->families & STEPPED ? integrator->object : NULL;
    return advances && advances->implicit ? "coupled" : "bridson";
}

static const char *family_names(int families) {
    static const char *const names[] = {"none",    "impulse",          "potential",          "impulse, potential",
                                        "classic", "impulse, classic", "potential, classic", "any"};
    return names[families];
}

mus_status mus_stages_resolve(const mus_pipeline *p, mus_solver_def *def) {
    mus_pipeline d = mus_pipeline_default();
    if (p->collision_step != MUS_COLLISION_STEP_STABLE && !(p->collision_step >= 0 && isfinite(p->collision_step)))
        return mus_fail(MUS_STATUS_INVALID,
                        "pipeline: field 'collision_step' must be > 0 s, \"stable\" (each substep of an explicit "
                        "integrator) or \"step\" (got %s)",
                        mus_word_of_number(p->collision_step).text);
    const struct {
        const char *name, *otherwise;
    } wanted[MUS_STAGE_KIND_COUNT] = {{p->integrator, d.integrator}, {p->broad, d.broad},       {p->narrow, d.narrow},
                                      {p->response, NULL},           {p->failsafe, d.failsafe}, {p->strain, d.strain},
                                      {p->internal, d.internal}};
    const stage *found[MUS_STAGE_KIND_COUNT]; /* the integrator is the first kind */
    for (int kind = 0; kind < MUS_STAGE_KIND_COUNT; kind++) {
        const char *otherwise =
            kind == MUS_STAGE_RESPONSE ? default_response(found[MUS_STAGE_INTEGRATOR]) : wanted[kind].otherwise;
        mus_status status = find((mus_stage_kind)kind, wanted[kind].name, otherwise, &found[kind]);
        if (status != MUS_STATUS_OK) return status;
    }
    const stage *response = found[MUS_STAGE_RESPONSE], *narrow = found[MUS_STAGE_NARROW];
    for (int kind = 0; kind < MUS_STAGE_KIND_COUNT; kind++)
        if (!(found[kind]->families & response->families))
            return mus_fail(
                MUS_STATUS_INVALID,
                "pipeline: %s '%s' and response '%s' belong to different families (%s and %s); start from a "
                "preset: 'robust' or 'sequential' for impulses, 'offset' for potentials, 'provot' for classic systems",
                mus_stage_kind_get_name((mus_stage_kind)kind), found[kind]->info.name, response->info.name,
                family_names(found[kind]->families), family_names(response->families));
    const mus_integrator *integrator = found[MUS_STAGE_INTEGRATOR]->object;
    if (response->object == &mus_family_coupled && !integrator->implicit)
        return mus_fail(MUS_STATUS_INVALID,
                        "pipeline: response 'coupled' solves contacts together with dynamics, which integrator '%s' "
                        "computes by itself; choose integrator 'implicit_euler', or response 'bridson'",
                        found[MUS_STAGE_INTEGRATOR]->info.name);
    if (response->families & STEPPED && response->object != &mus_family_coupled && integrator->has_force_memory)
        return mus_fail(MUS_STATUS_INVALID,
                        "pipeline: integrator '%s' solves dynamics together with contacts, which response '%s' handles "
                        "afterwards; choose response 'coupled', or integrator 'implicit_euler'",
                        found[MUS_STAGE_INTEGRATOR]->info.name, response->info.name);
    bool potential = response->families == POTENTIAL, classic = response->families == CLASSIC;
    def->elementary = potential ? NULL : narrow->object;
    def->response = classic ? response->object : NULL;
    def->failsafe = potential ? NULL : found[MUS_STAGE_FAILSAFE]->object;
    if (classic && def->elementary->distance && def->failsafe)
        return mus_fail(
            MUS_STATUS_INVALID,
            "pipeline: failsafe '%s' checks whether anything still collides, which narrow '%s' cannot detect: it tests "
            "distances, and pairs that start too near never pass; choose failsafe 'none', or narrow "
            "'cubic_ccd'",
            found[MUS_STAGE_FAILSAFE]->info.name, narrow->info.name);
    const mus_broad_phase *broad = found[MUS_STAGE_BROAD]->object;
    if (broad->motion_only && (def->elementary->distance || def->elementary->clears))
        return mus_fail(
            MUS_STATUS_INVALID,
            "pipeline: broad '%s' leaves out pairs proved not to collide in the step, and narrow '%s' needs "
            "all distances; choose broad 'partition_tree', or narrow 'cubic_ccd'",
            broad->name, narrow->info.name);
    def->family = potential          ? &mus_family_potential
                  : classic          ? &mus_family_classic
                  : response->object ? response->object
                                     : &mus_family_impulse;
    def->integrator = potential ? NULL : found[MUS_STAGE_INTEGRATOR]->object;
    def->minimizer = potential ? found[MUS_STAGE_INTEGRATOR]->object : NULL;
    def->truncation = potential ? found[MUS_STAGE_FAILSAFE]->object : NULL;
    def->broad = broad;
    def->internal = found[MUS_STAGE_INTERNAL]->object;
    def->repulsion = strcmp(response->info.name, "impulses") != 0;
    def->strain = found[MUS_STAGE_STRAIN]->object;
    def->collision_step = p->collision_step;
    return MUS_STATUS_OK;
}

mus_pipeline mus_stages_names(const mus_pipeline *p) {
    mus_pipeline d = mus_pipeline_default();
    const char **names[] = {&d.integrator, &d.broad, &d.narrow, &d.response, &d.failsafe, &d.strain, &d.internal};
    const char *const given[] = {p->integrator, p->broad, p->narrow, p->response, p->failsafe, p->strain, p->internal};
    const stage *integrator;
    d.collision_step = p->collision_step;
    for (int kind = 0; kind < MUS_STAGE_KIND_COUNT; kind++) {
        const stage *found;
        if (given[kind] && find((mus_stage_kind)kind, given[kind], NULL, &found) == MUS_STATUS_OK)
            *names[kind] = found->info.name;
    }
    if (!d.response && find(MUS_STAGE_INTEGRATOR, d.integrator, NULL, &integrator) == MUS_STATUS_OK)
        d.response = default_response(integrator);
    return d;
}
