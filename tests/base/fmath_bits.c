/* fmath_bits.c: prints the hash of each elementary function's values; tests/cli/fmath_bits.sh builds it several ways.
 */
#include "fmath_sample.h"

#include <stdio.h>

int main(void) {
    for (int f = 0; f < FMATH_FUNCTIONS; f++) printf("%s %016llx\n", fmath_names[f], (unsigned long long)fmath_hash(f));
    return 0;
}
