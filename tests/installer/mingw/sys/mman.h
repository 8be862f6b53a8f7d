/* Address space isn't scarce there: the stub's window takes none. */
#define PROT_NONE 0
#define MAP_PRIVATE 0
#define MAP_ANONYMOUS 0
#define MAP_NORESERVE 0
#define MAP_FAILED ((void *)-1)
#define mmap(...) ((void *)0)
