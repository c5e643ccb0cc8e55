/* fabric.h: measured fabrics: their stiffness at a state of strain or bending. */
#ifndef MUS_MODEL_FABRIC_H
#define MUS_MODEL_FABRIC_H

#include "model/sheet.h"

/* Coefficients c11, c12, c22, c33 (N/m) at a Green strain, between the samples as in the publication: linear in the
 * largest principal strain, up to a sixth, and in the angle of its direction; none below zero. Where the cloth is
 * stretched both ways the direction counts less, as the smaller strain approaches the larger: the publication leaves
 * that open, and the stiffness would have a jump. */
void mus_fabric_stretch(const mus_fabric *fabric, double uu, double vv, double uv, double c[4]);
/* J/m^2: the work of stretching it in proportion from rest to a Green strain. */
double mus_fabric_stretch_work(const mus_fabric *fabric, double uu, double vv, double uv);
/* At the larger principal curvature, 1/m. */
mus_rigidity mus_fabric_bending(const mus_fabric *fabric, double curvature);

#endif
