/* tests.h: cmocka with what its header wants included before it. */
#ifndef MUS_TESTS_H
#define MUS_TESTS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#endif
