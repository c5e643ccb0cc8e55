/* view_quality.c: pictures of a window that a slow driver (llvmpipe) cannot draw as often as motion needs. */
#include "view/view.h"

#include <string.h>

static const double WANTED = 1.0 / 15, PAUSE = 0.25; /* s: of a picture; without motion, before it is refined */
enum { PATIENCE = 3 };                               /* slow pictures: the first of all prepares the driver */

app_draft view_quality_choose(const view_quality *q, const app_camera *camera, bool playing) {
    return playing || memcmp(camera, &q->camera, sizeof *camera) != 0 ? q->draft : APP_DRAFT_NONE;
}

void view_quality_add(view_quality *q, app_draft draft, double cost, const app_camera *camera, bool playing, double now,
                      double interval) {
    double most = playing && interval / 3 > WANTED ? interval / 3 : WANTED;
    if (draft == APP_DRAFT_NONE && cost < WANTED)
        q->draft = APP_DRAFT_NONE, q->slow = 0; /* the scene or the window has become smaller */
    else if (draft == q->draft)
        q->slow = cost > most ? q->slow + 1 : 0;
    if (q->slow >= PATIENCE && q->draft + 1 < APP_DRAFT_COUNT) q->draft++, q->slow = 0;
    q->camera = *camera;
    q->refine_at = draft != APP_DRAFT_NONE && !playing ? now + PAUSE : 0;
}
