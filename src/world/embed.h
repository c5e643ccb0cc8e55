/* embed.h: a fine mesh that follows a cloth. */
#ifndef MUS_WORLD_EMBED_H
#define MUS_WORLD_EMBED_H

#include "model/cloth.h"

/* Binds a copy of a mesh to the faces of a cloth where both are now. INVALID, naming the vertex, for one that is not
 * finite or far from the cloth; the cloth must then be freed. */
mus_status mus_cloth_embed(mus_cloth *cloth, const mus_mesh *mesh);

#endif
