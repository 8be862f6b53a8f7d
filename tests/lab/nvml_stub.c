/* An NVML that says what the file "facts" beside it says (facts.h). Handles are GPU number + 1;
 * MIG instances are 1000 + 100 * GPU + instance. */
#include "facts.h"

typedef int Return;
typedef struct Device *Device;
enum { NOT_SUPPORTED = 3, NOT_FOUND = 6, INSUFFICIENT_SIZE = 7 };

static int index_of(Device device) { return (int)(intptr_t)device - 1; }

static Return give(int gpu, const char *key, unsigned *value) {
    long long found = of_gpu(gpu, key, -1);
    if (found < 0) return NOT_SUPPORTED;
    *value = (unsigned)found;
    return 0;
}

Return nvmlInitWithFlags(unsigned flags) { ENTER(); return (Return)number("nvml_init", 0); }
Return nvmlInit_v2(void) { return nvmlInitWithFlags(0); }
Return nvmlShutdown(void) { return 0; }
const char *nvmlErrorString(Return code) { return "a stub's answer"; }
Return nvmlSystemGetDriverVersion(char *version, unsigned size) {
    ENTER();
    return fact("driver", version, size) ? 0 : 999;
}
Return nvmlSystemGetNVMLVersion(char *version, unsigned size) { snprintf(version, size, "13.580"); return 0; }
Return nvmlSystemGetCudaDriverVersion(int *version) { ENTER(); *version = (int)number("cuda", 13000); return 0; }
Return nvmlSystemGetCudaDriverVersion_v2(int *version) { ENTER(); *version = (int)number("cuda", 13000); return 0; }
Return nvmlSystemGetProcessName(unsigned pid, char *name, unsigned size) {
    char key[64];
    ENTER();
    snprintf(key, sizeof key, "process.%u", pid);
    return fact(key, name, size) ? 0 : NOT_FOUND;
}
Return nvmlDeviceGetCount_v2(unsigned *count) { ENTER(); *count = (unsigned)number("gpus", 0); return 0; }
Return nvmlDeviceGetHandleByIndex_v2(unsigned index, Device *device) {
    ENTER();
    long long lost = of_gpu((int)index, "handle", 0);
    *device = (Device)(intptr_t)(index + 1);
    return (Return)lost;
}
Return nvmlDeviceGetName(Device device, char *name, unsigned size) {
    ENTER();
    return text_of_gpu(index_of(device), "name", name, size) ? 0 : 999;
}
Return nvmlDeviceGetUUID(Device device, char *uuid, unsigned size) {
    ENTER();
    int gpu = index_of(device);
    if (gpu >= 999) {
        char key[32];
        snprintf(key, sizeof key, "mig.%d", (gpu + 1 - 1000) % 100);
        return text_of_gpu((gpu + 1 - 1000) / 100, key, uuid, size) ? 0 : NOT_FOUND;
    }
    return text_of_gpu(gpu, "uuid", uuid, size) ? 0 : 999;
}

typedef struct {
    char legacy[16];
    unsigned domain, bus, device, id, subsystem;
    char bus_id[32];
} Pci;
Return nvmlDeviceGetPciInfo_v3(Device device, Pci *pci) {
    ENTER();
    memset(pci, 0, sizeof *pci);
    pci->id = (unsigned)of_gpu(index_of(device), "device", 0x2684) << 16 | 0x10DE;
    return text_of_gpu(index_of(device), "bus", pci->bus_id, sizeof pci->bus_id) ? 0 : 999;
}
Return nvmlDeviceGetCudaComputeCapability(Device device, int *major, int *minor) {
    ENTER();
    long long compute = of_gpu(index_of(device), "compute", 89);
    *major = (int)(compute / 10);
    *minor = (int)(compute % 10);
    return 0;
}

typedef struct { unsigned long long total, unused, used; } Memory;
typedef struct { unsigned version; unsigned long long total, reserved, unused, used; } Memory2;
Return nvmlDeviceGetMemoryInfo(Device device, Memory *memory) {
    ENTER();
    int gpu = index_of(device);
    long long total = of_gpu(gpu, "total", -1);
    if (total < 0) return NOT_SUPPORTED;
    memory->total = (unsigned long long)total;
    memory->used = (unsigned long long)(of_gpu(gpu, "used", 0) + of_gpu(gpu, "reserved", 0));
    memory->unused = memory->total - memory->used;
    return 0;
}
Return nvmlDeviceGetMemoryInfo_v2(Device device, Memory2 *memory) {
    ENTER();
    int gpu = index_of(device);
    if (memory->version != 0x02000028) return 25;
    long long total = of_gpu(gpu, "total", -1);
    if (total < 0) return NOT_SUPPORTED;
    memory->total = (unsigned long long)total;
    memory->used = (unsigned long long)of_gpu(gpu, "used", 0);
    memory->reserved = (unsigned long long)of_gpu(gpu, "reserved", 0);
    memory->unused = memory->total - memory->used - memory->reserved;
    return 0;
}
Return nvmlDeviceGetComputeMode(Device device, unsigned *mode) { ENTER(); *mode = (unsigned)of_gpu(index_of(device), "compute_mode", 0); return 0; }
Return nvmlDeviceGetDriverModel(Device device, unsigned *now, unsigned *next) { ENTER(); *next = 0; return give(index_of(device), "driver_model", now); }
Return nvmlDeviceGetVirtualizationMode(Device device, unsigned long long *mode) { ENTER(); *mode = (unsigned long long)of_gpu(index_of(device), "virtualization", 0); return 0; }
Return nvmlDeviceGetEccMode(Device device, unsigned *now, unsigned *next) { ENTER(); *next = 0; return give(index_of(device), "ecc", now); }
Return nvmlDeviceGetTotalEccErrors(Device device, unsigned type, unsigned counter, unsigned long long *count) {
    unsigned value;
    ENTER();
    Return code = give(index_of(device), "ecc_uncorrected", &value);
    if (!code) *count = value;
    return code;
}
Return nvmlDeviceGetRemappedRows(Device device, unsigned *fixed, unsigned *not_fixed, unsigned *pending, unsigned *failed) {
    ENTER();
    *fixed = *not_fixed = 0;
    *failed = (unsigned)of_gpu(index_of(device), "remap_failed", 0);
    return give(index_of(device), "remap_pending", pending);
}
Return nvmlDeviceGetCurrentClocksEventReasons(Device device, unsigned long long *reasons) { ENTER(); *reasons = (unsigned long long)of_gpu(index_of(device), "clocks", 1); return 0; }
Return nvmlDeviceGetMigMode(Device device, unsigned *now, unsigned *next) { ENTER(); *next = 0; return give(index_of(device), "mig", now); }
Return nvmlDeviceGetMaxMigDeviceCount(Device device, unsigned *count) { ENTER(); *count = 7; return 0; }
Return nvmlDeviceGetMigDeviceHandleByIndex(Device device, unsigned index, Device *part) {
    char key[32], uuid[96];
    ENTER();
    snprintf(key, sizeof key, "mig.%u", index);
    if (!text_of_gpu(index_of(device), key, uuid, sizeof uuid)) return NOT_FOUND;
    *part = (Device)(intptr_t)(1000 + 100 * index_of(device) + (int)index);
    return 0;
}
Return nvmlDeviceGetDisplayActive(Device device, unsigned *active) { ENTER(); return give(index_of(device), "display", active); }
Return nvmlDeviceGetTemperature(Device device, unsigned sensor, unsigned *degrees) { ENTER(); return give(index_of(device), "temperature", degrees); }

/* "gpu.0.compute_pids=4711:1073741824,4712:-1": pid and bytes, -1 for "not told" (WDDM). */
typedef struct { unsigned pid; unsigned long long memory; unsigned instance, compute; } Process;
static Return processes(Device device, const char *key, unsigned *count, Process *found) {
    char list[512] = "", *rest = NULL;
    unsigned room = *count, seen = 0;
    text_of_gpu(index_of(device), key, list, sizeof list);
    for (char *one = strtok_r(list, ",", &rest); one; one = strtok_r(NULL, ",", &rest), seen++) {
        if (!found || seen >= room) continue;
        char *colon = strchr(one, ':');
        memset(found + seen, 0, sizeof *found);
        found[seen].pid = (unsigned)atoi(one);
        found[seen].memory = (unsigned long long)(colon ? atoll(colon + 1) : -1);
    }
    *count = seen;
    return seen && (!found || seen > room) ? INSUFFICIENT_SIZE : 0;
}
Return nvmlDeviceGetComputeRunningProcesses_v3(Device device, unsigned *count, Process *found) { ENTER(); return processes(device, "compute_pids", count, found); }
Return nvmlDeviceGetComputeRunningProcesses_v2(Device device, unsigned *count, Process *found) { ENTER(); return processes(device, "compute_pids", count, found); }
Return nvmlDeviceGetGraphicsRunningProcesses_v3(Device device, unsigned *count, Process *found) { ENTER(); return processes(device, "graphics_pids", count, found); }
