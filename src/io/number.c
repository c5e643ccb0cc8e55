/* number.c: most numbers of a mesh have few digits and small powers of ten, where 128-bit integers give the
 * correctly rounded result directly; the C library converts the rest. */
#include "io/number.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__extension__ typedef unsigned __int128 u128;

static uint64_t power_of_five(int k) {
    uint64_t p = 1;
    while (k-- > 0) p *= 5;
    return p;
}

static const uint64_t powers_of_ten[20] = {1u,
                                           10u,
                                           100u,
                                           1000u,
                                           10000u,
                                           100000u,
                                           1000000u,
                                           10000000u,
                                           100000000u,
                                           1000000000u,
                                           10000000000u,
                                           100000000000u,
                                           1000000000000u,
                                           10000000000000u,
                                           100000000000000u,
                                           1000000000000000u,
                                           10000000000000000u,
                                           100000000000000000u,
                                           1000000000000000000u,
                                           10000000000000000000u};

/* value * 10^k rounded to an integer, ties to even, for 0 <= k <= 20 and 1e-4 <= value < 1e17: value = m 2^e gives
 * m 5^k 2^(e+k) with m 5^k below 2^100. */
static uint64_t scaled(double value, int k) {
    int e;
    u128 product = (u128)(uint64_t)ldexp(frexp(value, &e), 53) * power_of_five(k);
    int shift = -(e - 53 + k);
    if (shift <= 0) return (uint64_t)(product << -shift);
    u128 whole = product >> shift, rest = product & (((u128)1 << shift) - 1), half = (u128)1 << (shift - 1);
    if (rest > half || (rest == half && (whole & 1))) whole++;
    return (uint64_t)whole;
}

int mus_number_format(double value, char *out) {
    double size = fabs(value);
    if (size == 0 || !(size >= 1e-4 && size < 1e17)) return snprintf(out, MUS_NUMBER_ROOM, "%.17g", value);
    /* floor(log10(size)). The doubles nearest 0.001, 0.01 and 0.1 are slightly above them, so they compare
     * correctly. */
    int exponent = size >= 0.1 ? -1 : size >= 0.01 ? -2 : size >= 0.001 ? -3 : -4;
    if (size >= 1)
        for (exponent = 0; exponent < 16 && size >= (double)powers_of_ten[exponent + 1];) exponent++;
    /* Doubles are at least 1.1e-16 of themselves apart, so one below a power of ten does not round up to it. */
    uint64_t digits = scaled(size, 16 - exponent);
    char text[17];
    int count = 17;
    for (int i = 16; i >= 0; i--, digits /= 10) text[i] = (char)('0' + digits % 10);
    while (count > 1 && text[count - 1] == '0') count--;
    char *at = out;
    if (value < 0) *at++ = '-';
    if (exponent < 0) {
        *at++ = '0', *at++ = '.';
        for (int i = -1; i > exponent; i--) *at++ = '0';
        memcpy(at, text, (size_t)count);
        return (int)(at - out) + count;
    }
    int whole = exponent + 1;
    for (int i = 0; i < whole; i++) *at++ = i < count ? text[i] : '0';
    if (count > whole) {
        *at++ = '.';
        memcpy(at, text + whole, (size_t)(count - whole));
        at += count - whole;
    }
    return (int)(at - out);
}

/* digits / 10^k correctly rounded, for digits > 0 and 0 <= k <= 19: the quotient of the digits shifted to the top of
 * 128 bits has at least 63 bits, and the remainder shows whether there are more. */
static double quotient(uint64_t digits, int k) {
    if (k == 0) return (double)digits;
    int shift = 64 + __builtin_clzll(digits);
    u128 top = (u128)digits << shift, whole = top / powers_of_ten[k];
    bool more = whole * powers_of_ten[k] != top;
    uint64_t high = (uint64_t)(whole >> 64);
    int excess = (high ? 128 - __builtin_clzll(high) : 64 - __builtin_clzll((uint64_t)whole)) - 53;
    u128 rest = whole & (((u128)1 << excess) - 1), half = (u128)1 << (excess - 1);
    uint64_t mantissa = (uint64_t)(whole >> excess);
    if (rest > half || (rest == half && (more || (mantissa & 1)))) mantissa++;
    return ldexp((double)mantissa, excess - shift);
}

bool mus_number_parse(const char **text, double *value) {
    const char *at = *text;
    bool negative = *at == '-';
    if (*at == '-' || *at == '+') at++;
    uint64_t digits = 0;
    int kept = 0, fraction = 0, exponent = 0;
    bool any = false, point = false, fast = true;
    for (;; at++) {
        if (*at == '.' && !point) {
            point = true;
            continue;
        }
        if (*at < '0' || *at > '9') break;
        any = true;
        if (kept < 19) {
            digits = 10 * digits + (uint64_t)(*at - '0');
            if (digits > 0) kept++;
            if (point && ++fraction > 19) fast = false, fraction = 20;
        } else if (!point || *at != '0')
            fast = false; /* trailing zeros of a fraction change nothing */
    }
    if (!any) return false;
    if (*at == 'e' || *at == 'E') {
        at++;
        bool down = *at == '-';
        if (*at == '-' || *at == '+') at++;
        if (*at < '0' || *at > '9') return false;
        for (; *at >= '0' && *at <= '9'; at++)
            if (exponent < 100000) exponent = 10 * exponent + (*at - '0');
        if (down) exponent = -exponent;
    }
    if (*at != 0 && *at != ' ' && *at != '\t' && *at != '\r' && *at != '\n') return false;
    int k = fraction - exponent;
    double result;
    if (fast && digits == 0)
        result = negative ? -0.0 : 0.0;
    else if (fast && k >= 0 && k <= 19)
        result = negative ? -quotient(digits, k) : quotient(digits, k);
    else
        result = strtod(*text, NULL);
    if (!isfinite(result)) return false;
    *text = at;
    *value = result;
    return true;
}
