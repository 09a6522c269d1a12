"""The numbers of TIFF: tags, compressions, meanings of samples, and types of samples."""

from typing import Final

# Tags of TIFF 6.0 and its supplements that say how samples are stored.
COLUMNS, ROWS, BITS, COMPRESSION, PHOTOMETRIC, FILL_ORDER = 256, 257, 258, 259, 262, 266
STRIP_OFFSETS, CHANNELS, ROWS_PER_STRIP, STRIP_SIZES, PLANES = 273, 277, 278, 279, 284
PREDICTOR, COLOR_MAP, EXTRA_SAMPLES, SAMPLE_FORMAT = 317, 320, 338, 339
TILE_COLUMNS, TILE_ROWS, TILE_OFFSETS, TILE_SIZES = 322, 323, 324, 325
INK_SET, JPEG_TABLES = 332, 347
SUBFILE, OLD_SUBFILE, SUB_DIRECTORIES = 254, 255, 330
THUMBNAIL, THUMBNAIL_SIZE = 513, 514
SLICES: Final = 32997  # of a volume, as Silicon Graphics has it
# Tags that say what the picture is; they are metadata.
DESCRIPTION, ORIENTATION, XMP, PROFILE = 270, 274, 700, 34675
COLUMN_DENSITY, ROW_DENSITY, DENSITY_UNIT = 282, 283, 296

# Tags that say how the samples are stored, or where something is.
STRUCTURE: Final = frozenset(
    {
        *range(254, 263),
        *(266, 273, 277, 278, 279, 284, 288, 289, 292, 293, 317, 320, 338, 339, 347),
        *range(322, 326),
        *(330, *range(512, 522)),
    }
)

# Values of the tag for compression, with those of later supplements and libtiff.
NOT_COMPRESSED, LZW, JPEG, DEFLATE = 1, 5, 7, 8
PACKBITS, OLD_DEFLATE, ZSTD = 32773, 32946, 50000
DIFFERENCES, FLOAT_DIFFERENCES = 2, 3  # predictors
# Compressions of the JPEG family; only one of them is read.
LOSSY: Final = (6, JPEG, 33003, 33005, 34712, 34892)

WHITE_IS_ZERO, BLACK_IS_ZERO, RGB, PALETTE, CMYK, YCBCR = 0, 1, 2, 3, 5, 6
KINDS: Final = {1: "u", 2: "i", 3: "f"}  # NumPy's letters for the kinds of samples
# Bits of a sample that are kept as they are, by those letters.
DEPTHS: Final = {"u": (1, 8, 16, 32, 64), "i": (8, 16, 32, 64), "f": (16, 32, 64)}
# What extra samples are that colors are multiplied with, or not.
MULTIPLIED_ALPHA, PLAIN_ALPHA = 1, 2
