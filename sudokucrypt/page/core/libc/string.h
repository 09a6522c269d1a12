/* What the loops of the package take from a library that pages do not have. */

#ifndef SUDOKUCRYPT_STRING_H
#define SUDOKUCRYPT_STRING_H

#define memcpy __builtin_memcpy
#define memmove __builtin_memmove
#define memset __builtin_memset

#endif
