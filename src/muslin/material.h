/* material.h: materials and measured fabrics. */
#ifndef MUSLIN_MATERIAL_H
#define MUSLIN_MATERIAL_H

#include "status.h"

#include <stdbool.h>
#include <stdint.h>

/* Models of stretching and bending. SPRINGS run along the edges of the mesh, with hinges between its faces;
 * MASS_SPRING and CHOI_KO are networks of springs alone. The others are membranes of triangles of constant strain,
 * with a warp direction: that of increasing u where the mesh has texture vertices, else the x axis of the rest shape
 * (z for a face perpendicular to x). */
typedef enum mus_material_model {
    MUS_MODEL_SPRINGS,
    MUS_MODEL_STVK,        /* orthotropic St. Venant-Kirchhoff */
    MUS_MODEL_NEO_HOOKEAN, /* stable neo-Hookean (Smith, de Goes & Kim 2018) and fibers along warp and weft */
    MUS_MODEL_MEASURED,    /* a mus_fabric: stiffness as a function of strain and curvature */
    MUS_MODEL_MASS_SPRING, /* Provot 1995: structural, shear and bend springs, and no hinges */
    MUS_MODEL_CHOI_KO,     /* Choi & Ko 2002, JUN eq. 4.5-4.9: springs in tension only, buckling spans */
    /* Bigliani & Eischen's network of square elements, of a grid mesh: stretch_warp, stretch_weft and stretch_shear
     * (N/m, modulus times thickness), bending_warp and bending_weft (N m, modulus times its cube by 12). No
     * resistance to twist, no Poisson effect between warp and weft. */
    MUS_MODEL_SQUARE_NETWORK,
    MUS_MODEL_COUNT
} mus_material_model;
MUS_API const char *mus_material_model_get_name(mus_material_model model); /* "springs", "stvk", … */

/* Constants of a cloth's material: start from mus_material_default or mus_material_find. */
typedef struct mus_material {
    char name[32];  /* of the preset it comes from, or of the caller */
    double density; /* kg/m^2, > 0 */
    double stretch; /* N/m, structural springs */
    double shear;   /* N/m, diagonal springs */
    double bend; /* N/m, springs to every second node (across a hinge on a free mesh); 0: none, or with MASS_SPRING the
                    springs equivalent to `bending` */
    double bending;         /* N m, bending rigidity: of hinges, of plates, of the spans of CHOI_KO; 0: none */
    double buckling;        /* N/m, ramp cb up to the buckling load of CHOI_KO; < 0: the same as `stretch` */
    double compression;     /* stretch and shear stiffness in compression, as a share of that in tension, 0..1 */
    double damping;         /* s, damping as a multiple of the stiffness, of the rate of length or of strain only */
    double bending_damping; /* s, the same for the rate of bending; rigid motion is not damped */
    double viscous_damping; /* 1/s, friction against the world at rest: force -viscous_damping m v; 0: none. Per step
                               of dt the share kd = viscous_damping dt of the velocity, AAB eq. 3 */
    double drag;            /* air drag coefficient c of AAB eq. 4 */
    double strain_limit; /* largest strain of an edge, 0.1 is 10 %; 0: no limit. Edges over 0.95 of it are projected to
                            0.95 of it, so that the error left by a sweep stays within the limit */
    mus_material_model model; /* of stretching and bending */
    /* Of membranes, N/m (tension of a strip per width and strain): tension in warp = stretch_warp e_warp +
     * stretch_poisson e_weft, in weft likewise, shear force = stretch_shear times the angle. Springs ignore them. */
    double stretch_warp;
    double stretch_weft;    /* N/m, as stretch_warp */
    double stretch_poisson; /* N/m: coupling of warp and weft */
    double stretch_shear;   /* N/m: of the angle between warp and weft */
    /* Of membranes, N/m: added stiffness above the strain limit, in place of the projection of edges; 0: projection. */
    double limit_stiffness;
    double warp_angle; /* rad, rotates the warp from its default direction toward the weft */
    /* Of membranes, N m: bending of strips along the warp, the weft and between them; < 0: the same as `bending`. */
    double bending_warp;
    double bending_weft; /* N m, as bending_warp */
    double bending_bias; /* N m, of the direction between them */
    /* Plastic bending, of hinges and of plates that are not quadratic: where the curvature of a fold differs from that
     * at rest by more than yield_curvature (1/m; 0: elastic) plus bending_hardening (>= 0) times the plastic changes so
     * far, the angle at rest follows; it returns with the time constant recovery_time (s; 0: never). */
    double yield_curvature;
    double bending_hardening; /* share of the bending stiffness */
    /* Plastic stretching, of all models but square networks and without a limit_stiffness: where cloth is longer than
     * at rest by the share yield_strain (0.03 is 3 %; 0: elastic), the length at rest follows. The logarithm of the
     * largest elastic stretch grows by stretch_hardening (>= 0) times that of the plastic one. strain_limit is of both.
     */
    double yield_strain;
    double stretch_hardening; /* share of the stiffness */
    double recovery_time;     /* s, with which creases and plastic stretch fade */
    int32_t fabric;           /* of the model MEASURED: index for mus_fabric_get */
    bool bending_quadratic;   /* membranes: the quadratic model (Bergou et al. 2006), for flat rest shapes */
} mus_material;

/* The constants of a material: k from 0 to the count. Each has the name of its field. */
MUS_API int mus_material_get_constant_count(void);
MUS_API const char *mus_material_get_constant_name(int k);
MUS_API double *mus_material_constant_at(mus_material *material, int k);       /* in `material` */
MUS_API double mus_material_get_constant(const mus_material *material, int k); /* with defaults < 0 resolved */
MUS_API bool mus_material_uses_constant(const mus_material *material, int k);  /* in its model */
MUS_API const char *mus_material_get_constant_users(int k); /* the models that use it, for messages */

/* A fabric as measured by Wang, O'Brien & Ramamoorthi 2011, "Data-driven elastic models for cloth". */
typedef struct mus_fabric {
    const char *name; /* also of the material preset */
    double density;   /* kg/m^2 */
    /* N/m: c11 (warp), c12, c22 (weft), c33 in tension = c times Green strain (c33: off-diagonal). First at rest,
     * then at strain 1/6 in directions 0, 22.5, 45, 67.5 and 90 degrees from the warp. */
    double stretch[6][4];
    /* N m: stiffness k of a hinge of energy k length^2 angle^2 / (8 area) whose crease lies 0, 45 and 90 degrees from
     * the warp, at curvatures 0, 10, 20, 30 and 40 1/m. A plate of rigidity k/4. */
    double bending[3][5];
} mus_fabric;
/* Number of measured fabrics. */
MUS_API int32_t mus_fabric_get_count(void);
MUS_API const mus_fabric *mus_fabric_get(int32_t index); /* NULL out of range */

MUS_API mus_material mus_material_default(void); /* "cotton" */
/* Number of presets. */
MUS_API int32_t mus_material_get_preset_count(void);
MUS_API const mus_material *mus_material_get_preset(int32_t index); /* NULL out of range */
/* NOT_FOUND names the nearest preset. */
MUS_API mus_status mus_material_find(const char *name, mus_material *material);
/* INVALID names the first field that is out of range. */
MUS_API mus_status mus_material_check(const mus_material *material);

#endif
