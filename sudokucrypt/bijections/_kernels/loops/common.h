/* What all files of this kernel share. */

#ifndef SUDOKUCRYPT_COMMON_H
#define SUDOKUCRYPT_COMMON_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef unsigned char byte;

#ifdef _MSC_VER /* knows neither this attribute nor the hint to fetch memory */
#define INLINE static __forceinline
#define __builtin_prefetch(...) ((void)0)
#else
#define INLINE static inline __attribute__((always_inline))
#endif
/* Functions that several files of a kernel share, but no other library in the process. */
#if defined(__GNUC__)
#define INTERNAL __attribute__((visibility("hidden")))
#else
#define INTERNAL
#endif

#endif
