/* timer.h: wall-clock time for statistics. No decision of the simulation may depend on it. */
#ifndef MUS_BASE_TIMER_H
#define MUS_BASE_TIMER_H

double mus_timer_ms(void); /* monotonic, from an arbitrary start */

#endif
