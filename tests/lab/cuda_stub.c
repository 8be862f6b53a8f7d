/* A driver API over the computer's own memory that says what the file "facts" beside it says.
 *
 * "cuda_order=1,0" is the order in which CUDA numbers the GPUs (it puts the fastest first, NVML
 * goes by the bus). "gpu.1.retain=46" is what that GPU alone answers when it is to be used.
 * CUDA_VISIBLE_DEVICES is obeyed as the real one does. CUdeviceptr is a plain
 * address (cudnn_stub.c relies on it).
 */
#include "facts.h"
#include <sys/mman.h>

typedef int CUresult;
typedef uint64_t CUdeviceptr;

static int order[64], visible = -1, current;
static long long used;

static void digits_of(int gpu, char *digits) {
    char uuid[96] = "";
    text_of_gpu(gpu, "uuid", uuid, sizeof uuid);
    int length = 0;
    for (char *at = strncmp(uuid, "GPU-", 4) ? uuid : uuid + 4; *at && length < 32; at++)
        if (*at != '-') digits[length++] = *at;
    digits[length] = 0;
}

static int named(const char *token, int ordinal, int gpu) {
    char uuid[96] = "";
    if (*token >= '0' && *token <= '9') return atoi(token) == ordinal;
    text_of_gpu(gpu, "uuid", uuid, sizeof uuid);
    return strncmp(token, "GPU-", 4) == 0 && strncasecmp(token, uuid, strlen(token)) == 0;
}

static void look(void) {
    int count = (int)number("cuda_gpus", number("gpus", 0)), all[64];
    char wanted[256], *rest = NULL;
    for (int i = 0; i < count; i++) all[i] = i;
    if (fact("cuda_order", wanted, sizeof wanted)) {
        int at = 0;
        for (char *one = strtok_r(wanted, ",", &rest); one; one = strtok_r(NULL, ",", &rest)) all[at++] = atoi(one);
    }
    const char *list = getenv("CUDA_VISIBLE_DEVICES");
    visible = 0;
    if (!list) {
        for (; visible < count; visible++) order[visible] = all[visible];
        return;
    }
    char *copy = strdup(list);
    rest = NULL;
    for (char *token = strtok_r(copy, ",", &rest); token; token = strtok_r(NULL, ",", &rest)) {
        int found = -1;
        for (int i = 0; i < count; i++) if (named(token, i, all[i])) found = all[i];
        if (found < 0) break; /* everything behind an unknown entry is hidden */
        for (int i = 0; i < visible; i++) if (order[i] == found) { free(copy); visible = 0; return; } /* "0,0" */
        order[visible++] = found;
    }
    free(copy);
}

CUresult cuInit(unsigned flags) {
    ENTER();
    look();
    CUresult code = (CUresult)number("cu_init", 0);
    char variable[64]; /* a setting under which this driver doesn't start */
    if (fact("refuses", variable, sizeof variable) && getenv(variable)) return 999;
    return code ? code : visible ? 0 : 100;
}
CUresult cuDriverGetVersion(int *version) { ENTER(); *version = (int)number("cuda", 13000); return 0; }
CUresult cuDeviceGetCount(int *count) { ENTER(); *count = visible; return visible < 0 ? 3 : 0; }
CUresult cuDeviceGet(int *device, int ordinal) { ENTER(); *device = ordinal; return ordinal < visible ? 0 : 101; }
CUresult cuDeviceGetUuid_v2(unsigned char *uuid, int device) {
    char digits[40];
    ENTER();
    digits_of(order[device], digits);
    for (int i = 0; i < 16; i++) {
        unsigned byte = 0;
        sscanf(digits + 2 * i, "%2x", &byte);
        uuid[i] = (unsigned char)byte;
    }
    return 0;
}
CUresult cuDeviceGetUuid(unsigned char *uuid, int device) { return cuDeviceGetUuid_v2(uuid, device); }
CUresult cuDeviceGetName(char *name, int size, int device) {
    ENTER();
    return text_of_gpu(order[device], "name", name, (size_t)size) ? 0 : 999;
}
CUresult cuDeviceGetAttribute(int *value, int which, int device) {
    ENTER();
    long long compute = of_gpu(order[device], "compute", 89);
    char place[32] = "";
    unsigned domain = 0, bus = 0, slot = 0;
    text_of_gpu(order[device], "bus", place, sizeof place);
    sscanf(place, "%x:%x:%x", &domain, &bus, &slot);
    *value = (int)(which == 75 ? compute / 10 : which == 76 ? compute % 10
                   : which == 50 ? domain : which == 33 ? bus : which == 34 ? slot : 0);
    return 0;
}
CUresult cuDeviceTotalMem_v2(size_t *size, int device) { ENTER(); *size = (size_t)of_gpu(order[device], "total", 8LL << 30); return 0; }
CUresult cuDevicePrimaryCtxRetain(void **context, int device) {
    ENTER();
    current = device;
    /* A context takes a window of addresses much larger than the GPU's memory. */
    size_t window = (size_t)number("window", 0);
    if (window && mmap(NULL, window, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) == MAP_FAILED) return 2;
    *context = (void *)(intptr_t)(device + 1);
    return (CUresult)of_gpu(order[device], "retain", 0);
}
CUresult cuDevicePrimaryCtxRelease_v2(int device) { return 0; }
CUresult cuCtxSetCurrent(void *context) { ENTER(); return 0; }
CUresult cuCtxGetCurrent(void **context) { *context = (void *)(intptr_t)(current + 1); return 0; }
static long long unused(void) {
    int gpu = order[current];
    return of_gpu(gpu, "total", 8LL << 30) - of_gpu(gpu, "used", 0) - of_gpu(gpu, "reserved", 0) - used;
}
CUresult cuMemGetInfo_v2(size_t *left, size_t *total) {
    ENTER();
    *left = (size_t)unused();
    *total = (size_t)of_gpu(order[current], "total", 8LL << 30);
    return 0;
}
CUresult cuMemAlloc_v2(CUdeviceptr *address, size_t size) {
    ENTER();
    if ((long long)size > unused()) return 2;
    size_t *block = malloc(size + 64);
    *block = size;
    used += (long long)size;
    *address = (CUdeviceptr)(uintptr_t)block + 64;
    return 0;
}
CUresult cuMemFree_v2(CUdeviceptr address) {
    size_t *block = (size_t *)(uintptr_t)(address - 64);
    used -= (long long)*block;
    free(block);
    ENTER();
    return 0;
}
CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t size) { ENTER(); memcpy((void *)(uintptr_t)to, from, size); return 0; }
CUresult cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t size) { ENTER(); memcpy(to, (void *)(uintptr_t)from, size); return 0; }
CUresult cuMemsetD8_v2(CUdeviceptr to, unsigned char byte, size_t size) { ENTER(); memset((void *)(uintptr_t)to, byte, size); return 0; }
CUresult cuCtxSynchronize(void) { ENTER(); return 0; }
CUresult cuGetErrorName(CUresult code, const char **name) { *name = "CUDA_ERROR_STUB"; return 0; }
CUresult cuGetErrorString(CUresult code, const char **text) { *text = "a stub's answer"; return 0; }

/* CUDA's run-time library looks every call up through this; what a driver lacks stays NULL. */
CUresult cuGetProcAddress_v2(const char *symbol, void **function, int version, uint64_t flags, int *status) {
    Dl_info me;
    char newer[128];
    ENTER();
    *function = NULL;
    if (dladdr((void *)cuInit, &me)) {
        void *self = dlopen(me.dli_fname, RTLD_NOW | RTLD_NOLOAD);
        snprintf(newer, sizeof newer, "%s_v2", symbol);
        *function = self ? dlsym(self, newer) : NULL;
        if (!*function && self) *function = dlsym(self, symbol);
    }
    if (status) *status = *function ? 0 : 1;
    return *function ? 0 : 500;
}
CUresult cuGetProcAddress(const char *symbol, void **function, int version, uint64_t flags) {
    return cuGetProcAddress_v2(symbol, function, version, flags, NULL);
}
