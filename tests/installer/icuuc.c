/* Wine has no icuuc.dll, which every supported Windows has and Qt 6.10 and newer links. This one
 * says "no such converter" to everything; Qt then uses its own. Only for Wine, never shipped. */
typedef struct Converter Converter;
#define NOTHING(name) \
    __declspec(dllexport) void *name(void) { return 0; }
#define REFUSES(name, ...) \
    __declspec(dllexport) void *name(__VA_ARGS__) { *err = 4; return 0; }

REFUSES(ucnv_open, const char *n, int *err)
REFUSES(ucnv_getName, Converter *c, int *err)
REFUSES(ucnv_getStandardName, const char *n, const char *s, int *err)
NOTHING(ucnv_close)
NOTHING(ucnv_reset)
NOTHING(ucnv_getAvailableName)
NOTHING(ucnv_countAvailable)
NOTHING(ucnv_toUnicode)
NOTHING(ucnv_fromUnicode)
NOTHING(ucnv_toUCountPending)
NOTHING(ucnv_fromUCountPending)
NOTHING(ucnv_getToUCallBack)
NOTHING(ucnv_getFromUCallBack)
NOTHING(ucnv_setToUCallBack)
NOTHING(ucnv_setFromUCallBack)
NOTHING(ucnv_cbToUWriteUChars)
NOTHING(ucnv_cbFromUWriteUChars)
NOTHING(UCNV_TO_U_CALLBACK_SUBSTITUTE)
NOTHING(UCNV_FROM_U_CALLBACK_SUBSTITUTE)
__declspec(dllexport) signed char ucnv_getMaxCharSize(Converter *c) { return 1; }
