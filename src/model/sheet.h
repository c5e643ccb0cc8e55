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
    double area; /* m^2 */
} mus_membrane_face;

struct mus_sheet {
    mus_membrane_face *faces; /* one a face of the cloth */
};

/* Of a cloth whose material is no network of springs; faces have area. */
mus_status mus_sheet_new(const mus_cloth *cloth, const rest_shape *rest, mus_sheet **sheet);
mus_status mus_sheet_blank(int32_t face_count, mus_sheet **sheet); /* all zero, to be filled */
void mus_sheet_free(mus_sheet *sheet);

#endif
