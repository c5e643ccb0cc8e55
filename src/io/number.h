/* number.h: decimal text to double and back, correctly rounded both ways. */
#ifndef MUS_IO_NUMBER_H
#define MUS_IO_NUMBER_H

#include <stdbool.h>

enum { MUS_NUMBER_ROOM = 32 };

/* Writes what printf's %.17g writes, without a trailing zero byte; returns the length. Needs MUS_NUMBER_ROOM bytes and
 * the C locale. */
int mus_number_format(double value, char *out);

/* Reads [+-] digits [. digits] [e [+-] digits] at *text, up to a blank or the end of the string, and moves *text there.
 * False, *text unmoved, for anything else (so for nan, inf, hexadecimal) and for what overflows to infinity. Needs the
 * C locale. Does not skip leading blanks. */
bool mus_number_parse(const char **text, double *value);

#endif
