/* program.h: traced functions.
 *
 * A law written as a graph of operations on numbers, which runs over all contacts or vertices in batches. Lua's
 * muslin.rule, muslin.potential and muslin.node_force compile to it; C programs may build graphs too. Results have the
 * same bits as the operations one by one, on every processor. */
#ifndef MUSLIN_PROGRAM_H
#define MUSLIN_PROGRAM_H

#include "contact.h"
#include "object.h"
#include "pose.h"
#include "status.h"

#include <stddef.h>
#include <stdint.h>

/* A named number that programs share and that may change between steps. One thread at a time. */
typedef struct mus_parameter mus_parameter;
/* `value` must be finite. Release it when done; programs that use it reference it too. */
MUS_API mus_status mus_parameter_create(const char *name, double value, mus_parameter **parameter);
MUS_API void mus_parameter_release(mus_parameter *parameter); /* NULL is allowed */
/* Valid as long as the parameter. */
MUS_API const char *mus_parameter_get_name(const mus_parameter *parameter);
/* The present value. */
MUS_API double mus_parameter_get_value(const mus_parameter *parameter);
MUS_API mus_status mus_parameter_set_value(mus_parameter *parameter, double value); /* INVALID unless finite */

/* Operations of nodes. */
typedef enum mus_op {
    MUS_OP_CONSTANT,
    MUS_OP_PARAMETER,
    MUS_OP_INPUT,
    MUS_OP_ADD,
    MUS_OP_SUB,
    MUS_OP_MUL,
    MUS_OP_DIV,
    MUS_OP_NEG,
    MUS_OP_MIN, /* b < a or b is NaN: b, else a */
    MUS_OP_MAX,
    MUS_OP_ABS,
    MUS_OP_SQRT,
    MUS_OP_FLOOR,
    MUS_OP_LT, /* 1 or 0 */
    MUS_OP_LE,
    MUS_OP_EQ,
    MUS_OP_SELECT, /* a is not 0: b, else c */
    MUS_OP_EXP,
    MUS_OP_LOG,
    MUS_OP_SIN,
    MUS_OP_COS,
    MUS_OP_TAN,
    MUS_OP_ASIN,
    MUS_OP_ACOS,
    MUS_OP_ATAN2, /* of y and x */
    MUS_OP_POW,
    MUS_OP_LATTICE, /* mus_graph_add_lattice */
    MUS_OP_COUNT
} mus_op;
/* "add", "sqrt", … */
MUS_API const char *mus_op_get_name(mus_op op);
/* The result of a traced operation for these numbers, bit for bit; operands that it does not take are ignored.
 * LATTICE takes its seed from `value`; CONSTANT, PARAMETER and INPUT return `value`. */
MUS_API double mus_op_evaluate(mus_op op, double a, double b, double c, double value);

/* Inputs of programs. Vectors take three slots, x first. */
typedef enum mus_input {
    MUS_INPUT_NORMAL = 0,   /* of a contact: from side 2 to side 1; of a vertex of cloth: the cloth's */
    MUS_INPUT_VELOCITY = 3, /* m/s: v1 - v2; of a vertex: its own */
    MUS_INPUT_MASS = 6,     /* kg */
    MUS_INPUT_GAP = 7,      /* m: distance - thickness */
    MUS_INPUT_DISTANCE = 8, /* m */
    MUS_INPUT_FRICTION = 9, /* the pair's coefficient */
    MUS_INPUT_RESTITUTION = 10,
    MUS_INPUT_DT = 11, /* s */
    MUS_INPUT_TOI = 12,
    MUS_INPUT_TIME = 13,
    MUS_INPUT_KIND = 14,      /* mus_pair_kind as a number */
    MUS_INPUT_POSITION = 15,  /* m: of a contact the point on side 1, of a vertex its place */
    MUS_INPUT_POSITION2 = 18, /* m: the point on side 2 */
    MUS_INPUT_START_GAP = 21, /* m: the gap at the start of the step */
    MUS_INPUT_AREA = 22,      /* m^2: of a vertex a third of the faces around it, at the start of the step */
    MUS_INPUT_SLIP = 23,      /* m, of a potential: tangential displacement of the sides in this step */
    MUS_INPUT_WARP = 24,      /* of a coefficient: mus_contact_surface.warp of side 1, */
    MUS_INPUT_WARP2 = 27,     /* of side 2, */
    MUS_INPUT_LOAD = 30,      /* N: and its load */
    MUS_INPUT_LENGTH = 31,    /* m: of a spring; */
    MUS_INPUT_REST = 32,      /* m: at rest; */
    MUS_INPUT_RATE = 33,      /* m/s: the rate of its length */
    MUS_INPUT_COUNT = 34
} mus_input;

enum { MUS_GRAPH_LARGEST = 20000 }; /* nodes */
/* A graph of operations under construction. */
typedef struct mus_graph mus_graph;
typedef int32_t mus_node; /* from 0; negative: failed, and no program can be made of the graph */
/* An empty graph. */
MUS_API mus_status mus_graph_create(mus_graph **graph);
MUS_API void mus_graph_destroy(mus_graph *graph); /* NULL is allowed */
/* Number of nodes. */
MUS_API int32_t mus_graph_get_node_count(const mus_graph *graph);
/* Equal nodes are merged; operations on constants are evaluated at once. */
MUS_API mus_node mus_graph_add_constant(mus_graph *graph, double value);
/* The value of a parameter, which the graph references. */
MUS_API mus_node mus_graph_add_parameter(mus_graph *graph, mus_parameter *parameter);
/* An input: a mus_input, plus 1 or 2 for y and z of a vector. */
MUS_API mus_node mus_graph_add_input(mus_graph *graph, int32_t slot);
/* Arguments beyond those that the operation takes are ignored. */
MUS_API mus_node mus_graph_add_operation(mus_graph *graph, mus_op op, mus_node a, mus_node b, mus_node c);
/* In [-1, 1): the random number of the integer point (x, y, z) for an integer `seed`. */
MUS_API mus_node mus_graph_add_lattice(mus_graph *graph, mus_node x, mus_node y, mus_node z, double seed);
/* d node / d input, in the same graph. The derivatives of |x| and sqrt x at 0, of comparisons and of floor are 0. */
MUS_API mus_node mus_graph_add_derivative(mus_graph *graph, mus_node node, int32_t slot);

/* What a program computes; decides its inputs and the number of its outputs. */
typedef enum mus_program_kind {
    MUS_PROGRAM_RULE,       /* of a contact: the impulse on side 1, N s, and if given that on side 2: 3 or 6 numbers */
    MUS_PROGRAM_NODE_RULE,  /* of a contact's vertex: its new velocity, m/s, see mus_response_def.per_node: 3 */
    MUS_PROGRAM_POTENTIAL,  /* of a contact: an energy, J, that depends on GAP, DISTANCE and SLIP: 1 */
    MUS_PROGRAM_NODE_FORCE, /* of a vertex of cloth: the force on it, N: 3 */
    MUS_PROGRAM_MOTION,     /* of TIME: an obstacle's position, m, and if given its rotation, w x y z: 3 or 7 numbers */
    MUS_PROGRAM_WIND,       /* of POSITION and TIME: the velocity of the air, m/s: 3 */
    /* of a contact, its LOAD and WARP: a coefficient of friction or restitution: 1 */
    MUS_PROGRAM_COEFFICIENT,
    MUS_PROGRAM_SPRING,    /* of LENGTH, REST and RATE: the tension of a spring, N, negative in compression: 1 */
    MUS_PROGRAM_TOLERANCE, /* of POSITION and TIME: a distance, m, see mus_tolerance: 1 */
    MUS_PROGRAM_KIND_COUNT
} mus_program_kind;
/* Takes ownership of the graph on success. Adds the derivatives that the kind needs: of a POTENTIAL first and second
 * ones by the gap and by the slip; of a NODE_FORCE by position and velocity; of a SPRING by length and rate. INVALID
 * for another number of outputs, and for an input that the kind does not have. Release it when done; a world that
 * uses it references it too. */
MUS_API mus_status mus_program_create(mus_program_kind kind, mus_graph *graph, const mus_node *outputs, int32_t count,
                                      mus_program **program);
MUS_API void mus_program_release(mus_program *program); /* NULL is allowed */
/* Location of its function in the source, "scene.lua:12" (copied; NULL: none): messages about its results begin with
 * it. */
MUS_API mus_status mus_program_set_place(mus_program *program, const char *place);
/* The kind that it was made with. */
MUS_API mus_program_kind mus_program_get_kind(const mus_program *program);
/* Number of outputs of mus_program_evaluate: of a POTENTIAL energy, -dE/dgap, d2E/dgap2 and, if it changes with
 * SLIP, dE/dslip and d2E/dslip2; of a NODE_FORCE the force and then its derivatives, df.x/dx, df.x/dy .. df.z/dz by
 * position, and the nine by velocity; of a SPRING tension, N, its derivative by length, N/m, and by rate, N s/m;
 * else the outputs that it was made with. */
MUS_API int32_t mus_program_get_output_count(const mus_program *program);
/* Evaluates the program for inputs[slot][k], k < count (a pointer for every slot that is used), into outputs[j][k]. */
MUS_API mus_status mus_program_evaluate(const mus_program *program, const double *const *inputs, int64_t count,
                                        double *const *outputs);
/* The parameter of that name, or NULL. Owned by the program: valid as long as it. */
MUS_API mus_parameter *mus_program_find_parameter(const mus_program *program, const char *name);
MUS_API mus_parameter *mus_program_get_parameter(const mus_program *program, int32_t k); /* NULL out of range */
/* A listing of the program, with the operations counted by kind; writes at most `size` bytes with a final zero and
 * returns the length of the whole text. */
MUS_API size_t mus_program_explain(const mus_program *program, char *text, size_t size);
/* From within mus_callbacks.forces: adds a NODE_FORCE at the cloth's present positions and velocities to its forces;
 * and its derivatives, without the destabilizing parts (negative eigenvalues), to the implicit step and to potential
 * pipelines, which are then stable with a stiff force at any dt. Explicit integrators keep the force constant over
 * the step. */
MUS_API mus_status mus_cloth_add_node_force(mus_world *world, mus_cloth_id id, const mus_program *program);
/* From within mus_callbacks.forces: adds the velocity of a WIND, evaluated at the center of every face, to the
 * world's wind and other added winds for this step. Its force follows from air_density and the material's drag. */
MUS_API mus_status mus_cloth_add_wind(mus_world *world, mus_cloth_id id, const mus_program *program);
/* A MOTION as a mus_motion_fn with `user` = program. INVALID for a position that is not finite, and for a rotation that
 * is no unit quaternion within 1e-3; the rotation is normalized. */
MUS_API mus_status mus_program_evaluate_motion(void *program, double t, mus_pose *pose);
/* A rule as a mus_rule_fn with `user` = program (RULE or NODE_RULE): the world recognizes programs by this function,
 * and runs them over all contacts at once, with the results of one after the other. */
MUS_API mus_status mus_program_evaluate_rule(void *program, const mus_contact *contact, double impulse[2][3]);

/* A COEFFICIENT as a mus_contact_law_fn with `user` = program: the world recognizes programs by this function, and runs
 * them over all contacts at once, with the same results. */
MUS_API mus_status mus_program_evaluate_coefficient(void *program, const mus_contact *contact,
                                                    const mus_contact_surface *surface, double *value);

#endif
