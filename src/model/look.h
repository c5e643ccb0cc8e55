/* look.h: colors, texture coordinates and groups of faces of objects, which only pictures and files read. */
#ifndef MUS_MODEL_LOOK_H
#define MUS_MODEL_LOOK_H

#include "model/cloth.h"
#include "muslin/look.h"

/* INVALID with the object ("cloth") and the field if a color or a size is out of range. */
mus_status mus_look_check(const char *object, const mus_look *look);
/* Texture coordinates of a new cloth, from its mesh and its rest lengths. */
mus_status mus_cloth_make_uvs(mus_cloth *cloth, const mus_mesh *mesh, const mus_mesh *rest);
/* The groups of its mesh's faces. */
mus_status mus_cloth_take_groups(mus_cloth *cloth, const mus_mesh *mesh);

#endif
