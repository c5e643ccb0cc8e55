/* leaks.h: what Mesa keeps of each display, and of what is drawn, for good: some hundred bytes that are no leaks. */
#ifndef TESTS_APP_LEAKS_H
#define TESTS_APP_LEAKS_H

#include <stdbool.h>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
#endif

/* Between a call with true and one with false, what is allocated and kept is not reported. */
static inline void ignore_leaks(bool begin) {
#ifdef __SANITIZE_ADDRESS__
    begin ? __lsan_disable() : __lsan_enable();
#else
    (void)begin;
#endif
}

#endif
