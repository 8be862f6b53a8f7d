/* A driver API over the computer's own memory, so that the whole test can run without a GPU.
 *
 * CUdeviceptr is a plain address (cudnn_stub.c relies on it). The environment says what kind of
 * day the driver has; every number is a CUresult:
 *
 *   STUB_CUDA_INIT       answer of cuInit
 *   STUB_CUDA_COUNT      GPUs there are (1)
 *   STUB_CUDA_COMPUTE    "9.0"
 *   STUB_CUDA_RETAIN     answer of cuDevicePrimaryCtxRetain; STUB_CUDA_RETAIN_1: of GPU 1 alone
 *   STUB_CUDA_FREE       bytes free (40 GB); allocations beyond that answer 2
 *   STUB_CUDA_SYNC       answer of cuCtxSynchronize, and of all later calls, as real faults are
 *   STUB_CUDA_HANG       name of the call that never returns
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef int CUresult;
typedef uint64_t CUdeviceptr;

static long long used;
static CUresult sticky;
static int order[16], visible = -1;

static long long number(const char *name, long long otherwise) {
    const char *text = getenv(name);
    return text && *text ? atoll(text) : otherwise;
}

static CUresult enter(const char *call) {
    const char *hang = getenv("STUB_CUDA_HANG");
    if (hang && strcmp(hang, call) == 0)
        for (;;) pause();
    return sticky;
}

/* GPU i has the UUID that is i+1 in all 16 bytes. */
static int uuid_matches(const char *token, int gpu) {
    char text[64];
    snprintf(text, sizeof text, "GPU-%02x%02x%02x%02x", gpu + 1, gpu + 1, gpu + 1, gpu + 1);
    return strncasecmp(token, text, strlen(text)) == 0;
}

static void look(void) {
    int count = (int)number("STUB_CUDA_COUNT", 1);
    const char *list = getenv("CUDA_VISIBLE_DEVICES");
    visible = 0;
    if (!list) {
        for (int i = 0; i < count; i++) order[visible++] = i;
        return;
    }
    char *copy = strdup(list), *rest = NULL;
    for (char *token = strtok_r(copy, ",", &rest); token; token = strtok_r(NULL, ",", &rest)) {
        int found = -1;
        for (int i = 0; i < count; i++)
            if (uuid_matches(token, i) || (*token >= '0' && *token <= '9' && atoi(token) == i)) found = i;
        if (found < 0) break; /* as the real one: everything after an unknown entry is hidden */
        order[visible++] = found;
    }
    free(copy);
}

CUresult cuInit(unsigned flags) {
    CUresult code = enter("cuInit");
    if (code) return code;
    look();
    code = (CUresult)number("STUB_CUDA_INIT", 0);
    return code ? code : visible ? 0 : 100;
}
CUresult cuDriverGetVersion(int *version) { *version = (int)number("STUB_CUDA_VERSION", 13000); return 0; }
CUresult cuDeviceGetCount(int *count) { *count = visible; return visible < 0 ? 3 : enter("cuDeviceGetCount"); }
CUresult cuDeviceGet(int *device, int ordinal) { *device = ordinal; return ordinal < visible ? 0 : 101; }
CUresult cuDeviceGetUuid_v2(void *uuid, int device) { memset(uuid, order[device] + 1, 16); return 0; }
CUresult cuDeviceGetUuid(void *uuid, int device) { return cuDeviceGetUuid_v2(uuid, device); }
CUresult cuDeviceGetName(char *name, int size, int device) {
    snprintf(name, size, "Stub GPU %d", order[device]);
    return 0;
}
CUresult cuDeviceGetAttribute(int *value, int which, int device) {
    const char *compute = getenv("STUB_CUDA_COMPUTE");
    int major = 9, minor = 0;
    if (compute) sscanf(compute, "%d.%d", &major, &minor);
    *value = which == 75 ? major : which == 76 ? minor : 0;
    return 0;
}
CUresult cuDevicePrimaryCtxRetain(void **context, int device) {
    *context = (void *)(intptr_t)(device + 1);
    char own[32];
    CUresult code = enter("cuDevicePrimaryCtxRetain");
    snprintf(own, sizeof own, "STUB_CUDA_RETAIN_%d", order[device]);
    return code ? code : (CUresult)number(own, number("STUB_CUDA_RETAIN", 0));
}
CUresult cuDevicePrimaryCtxRelease_v2(int device) { return 0; }
CUresult cuCtxSetCurrent(void *context) { return enter("cuCtxSetCurrent"); }
static long long all_free(void) { return number("STUB_CUDA_FREE", 40LL << 30); }
CUresult cuMemGetInfo_v2(size_t *unused, size_t *total) {
    *unused = (size_t)(all_free() - used);
    *total = 80UL << 30;
    return enter("cuMemGetInfo_v2");
}
CUresult cuMemAlloc_v2(CUdeviceptr *address, size_t size) {
    CUresult code = enter("cuMemAlloc_v2");
    if (code) return code;
    if ((long long)size > all_free() - used) return 2;
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
    return enter("cuMemFree_v2");
}
CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t size) {
    memcpy((void *)(uintptr_t)to, from, size);
    return enter("cuMemcpyHtoD_v2");
}
CUresult cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t size) {
    memcpy(to, (void *)(uintptr_t)from, size);
    return enter("cuMemcpyDtoH_v2");
}
CUresult cuMemsetD8_v2(CUdeviceptr to, unsigned char byte, size_t size) {
    memset((void *)(uintptr_t)to, byte, size);
    return enter("cuMemsetD8_v2");
}
CUresult cuCtxSynchronize(void) {
    CUresult code = enter("cuCtxSynchronize");
    return code ? code : (sticky = (CUresult)number("STUB_CUDA_SYNC", 0));
}
CUresult cuGetErrorName(CUresult code, const char **name) { *name = "CUDA_ERROR_STUB"; return 0; }

CUresult cuGetProcAddress_v2(const char *symbol, void **function, int version, uint64_t flags, int *status) {
    char newer[128];
    snprintf(newer, sizeof newer, "%s_v2", symbol);
    *function = dlsym(RTLD_DEFAULT, newer);
    if (!*function) {
        void *self = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
        *function = self ? dlsym(self, newer) : NULL;
        if (!*function && self) *function = dlsym(self, symbol);
    }
    if (status) *status = *function ? 0 : 1;
    return *function ? 0 : 500;
}

/* What the run-time compiler of cuDNN 9.27 is linked against; nothing here can launch. */
#define CANNOT(name) CUresult name(void) { return 801; }
CANNOT(cuGetErrorString)
CANNOT(cuModuleGetFunction)
CANNOT(cuModuleLoadData)
CANNOT(cuModuleUnload)
CANNOT(cuTensorMapEncodeIm2col)
CANNOT(cuTensorMapEncodeTiled)
