/* sheet.h: the rest state of a cloth that is a membrane instead of springs, face by face in its own frame of warp and
 * weft. */
#ifndef MUS_MODEL_SHEET_H
#define MUS_MODEL_SHEET_H

#include "model/cloth.h"
#include "model/rest.h"

/* Rest frame of a face: gradients of the shape functions of corners 1 and 2 by warp and weft, 1/m (corner 0 has minus
 * their sum): the deformation gradient's columns are f_a = sum over k of n[k][a] (x[k+1] - x[0]). */
typedef struct mus_membrane_face {
    double n[2][2];
    double weight; /* m^2, of its energy per area: the area times the map of stiffness */
} mus_membrane_face;

/* Two faces on a common edge (vertices 0 and 1; 2 and 3 opposite). */
typedef struct mus_fold {
    int32_t vertex[4];
    double lift[4]; /* 1/m: angle = sum of lift[k] times the displacement of vertex k along the normal, of flat cloth */
    double rest;    /* angle at rest */
    double low;     /* m: for lower heights of a face over the edge, gradients are scaled down */
} mus_fold;

/* A face that bends: its curvature is a sum over its edges of the angle by which the edge's normal is turned against
 * the face's. That angle is a share of the fold's, plus the fold's offset: see plate.c. */
typedef struct mus_plate {
    int32_t face;
    int32_t vertex[6];      /* the corners, then the vertex across edge k (of corners k and k + 1); -1: none */
    int32_t fold[3];        /* of edge k; -1: none */
    uint8_t slot[3][4];     /* index among the six of each vertex of the fold */
    double sign[3];         /* of the fold's angle, seen from the side of the face's normal */
    double side[3];         /* 1 for the fold's first face, -1 for its second */
    double share[3];        /* of the angle; the shares of both faces sum to 1 */
    double curvature[3][3]; /* [a][k]: curvature a (warp, weft, twice the twist; 1/m) by the turn of edge k's normal */
    double weight;          /* m^2, of its energy per area: the area times the map of bending */
} mus_plate;

/* Finds the warp of cloth that is no membrane: the combination of edges x1 - x0 and x2 - x0 in its direction, encoded
 * as one number per face. */
void mus_cloth_find_warps(const mus_cloth *cloth, const rest_shape *rest, float *warps);
/* The warp of a face as that combination, of any length. */
void mus_cloth_warp_of_face(const mus_cloth *cloth, int32_t face, double of[2]);
/* Computes the warp of the cloth at x, one vector per vertex: the sum over its faces, by area. */
void mus_cloth_compute_warps(const mus_cloth *cloth, const v3 *x, v3 *warp);

/* Orthotropic bending, N m: moments warp k_warp, weft k_weft, and twist times twice the twist. */
typedef struct mus_rigidity {
    double warp, weft, twist;
} mus_rigidity;
/* From the rigidities of slender strips cut along the warp, the weft and at 45 degrees to them, where the twist is
 * free: 4/bias = 1/warp + 1/weft + 1/twist. A bias that no twist can reach (mus_largest_bias) is replaced by a little
 * less than the largest. */
mus_rigidity mus_rigidity_of(double warp, double weft, double bias);
double mus_largest_bias(double warp, double weft);
mus_rigidity mus_material_rigidity(const mus_material *material);

struct mus_sheet {
    mus_membrane_face *faces; /* one per face of the cloth */
    mus_plate *plates;        /* faces with a neighbor, of a cloth that resists bending; else none */
    mus_fold *folds;
    int32_t plate_count, fold_count;
};

/* The angle of the faces 0 1 2 and 1 0 3, positive if 3 is above the plane of 0 1 2, on the side of
 * (x1 - x0) x (x2 - x0); and its gradient, scaled down alike if a height is below `low`. False for faces without
 * area. */
bool mus_fold_angle(v3 x0, v3 x1, v3 x2, v3 x3, double low, double *angle, v3 gradient[4]);

/* For a cloth whose material is no network of springs; faces have area. */
mus_status mus_sheet_new(const mus_cloth *cloth, const rest_shape *rest, mus_sheet **sheet);
/* With everything that follows from topology; lengths, angles and areas are zero, set by the caller. */
mus_status mus_sheet_blank(const mus_cloth *cloth, mus_sheet **sheet);
void mus_sheet_free(mus_sheet *sheet);

#endif
