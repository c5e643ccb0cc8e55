/* timer.c: the monotonic clock. */
#include "base/timer.h"

#include <time.h>

double mus_timer_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}
