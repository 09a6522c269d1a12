/* Memory for the loops of the package: taken from behind all that is in use, and never given back.
 * An instance of the core codes one picture, and goes with all that it took. */

#ifndef SUDOKUCRYPT_STDLIB_H
#define SUDOKUCRYPT_STDLIB_H

#include <stddef.h>

void *realloc(void *old, size_t size);

#endif
