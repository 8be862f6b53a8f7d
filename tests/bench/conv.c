/* What the cuDNN test does, in C: the yardstick for tests/bench/bench_trial.py.
 *
 *   gcc -O2 -o conv conv.c -ldl && ./conv /path/to/libcudnn.so.9
 *
 * Load, versions, sub-library checks, driver, primary context, handle, one 3x3 convolution of
 * small integers with FMA math and its comparison with the processor's. Prints the milliseconds
 * of each stage. Ends without clean-up, as the test's child does.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { N = 1, C = 8, H = 8, W = 8, K = 8 };
typedef struct { int algorithm, status; float time; size_t memory; int determinism, math, reserved[3]; } Algorithm;

static double began;
static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}
static void stage(const char *name) {
    double at = now();
    printf("%-14s %8.1f ms\n", name, at - began);
    began = at;
}
static void *library, *driver;
static void *need(void *from, const char *name) {
    void *found = dlsym(from, name);
    if (!found) { printf("%s: %s\n", name, dlerror()); exit(1); }
    return found;
}
#define DNN(name, ...) do { int code = ((int (*)())need(library, #name))(__VA_ARGS__); \
    if (code) { printf("%s: %d\n", #name, code); exit(1); } } while (0)
#define CU(name, ...) do { int code = ((int (*)())need(driver, #name))(__VA_ARGS__); \
    if (code) { printf("%s: %d\n", #name, code); exit(1); } } while (0)

static int value(int i, int seed) { return (int)((i * 2654435761u + seed * 40503u) >> 16) % 5 - 2; }

int main(int count, char **arguments) {
    double start = began = now();
    if (!(library = dlopen(count > 1 ? arguments[1] : "libcudnn.so.9", RTLD_NOW))) { puts(dlerror()); return 1; }
    stage("load");
    size_t version = ((size_t (*)(void))need(library, "cudnnGetVersion"))();
    stage("version");
    const char *checks[] = {"cudnnGraphVersionCheck", "cudnnCnnVersionCheck", "cudnnAdvVersionCheck", "cudnnOpsVersionCheck"};
    for (int i = 0; i < 4; i++) {
        int (*check)(void) = dlsym(library, checks[i]);
        if (check && check()) { printf("%s\n", checks[i]); return 1; }
    }
    stage("sublibraries");
    if (!(driver = dlopen("libcuda.so.1", RTLD_NOW))) { puts(dlerror()); return 1; }
    int device;
    CU(cuInit, 0u);
    CU(cuDeviceGet, &device, 0);
    stage("driver");
    void *context;
    CU(cuDevicePrimaryCtxRetain, &context, device);
    CU(cuCtxSetCurrent, context);
    stage("context");
    void *handle, *dx, *dw, *dy, *conv;
    DNN(cudnnCreate, &handle);
    stage("handle");
    DNN(cudnnCreateTensorDescriptor, &dx);
    DNN(cudnnSetTensor4dDescriptor, dx, 0, 0, N, C, H, W);
    DNN(cudnnCreateTensorDescriptor, &dy);
    DNN(cudnnSetTensor4dDescriptor, dy, 0, 0, N, K, H, W);
    DNN(cudnnCreateFilterDescriptor, &dw);
    DNN(cudnnSetFilter4dDescriptor, dw, 0, 0, K, C, 3, 3);
    DNN(cudnnCreateConvolutionDescriptor, &conv);
    DNN(cudnnSetConvolution2dDescriptor, conv, 1, 1, 1, 1, 1, 1, 1, 0);
    DNN(cudnnSetConvolutionMathType, conv, 3);
    Algorithm listed[8];
    int found, algorithm = 0;
    DNN(cudnnGetConvolutionForwardAlgorithm_v7, handle, dx, dw, conv, dy, 8, &found, listed);
    for (int i = found - 1; i >= 0; i--)
        if (!listed[i].status && listed[i].algorithm < 3 && listed[i].memory <= 64 << 20) algorithm = listed[i].algorithm;
    size_t space;
    DNN(cudnnGetConvolutionForwardWorkspaceSize, handle, dx, dw, conv, dy, algorithm, &space);
    static float x[N * C * H * W], w[K * C * 9], y[N * K * H * W];
    for (int i = 0; i < N * C * H * W; i++) x[i] = value(i, 1);
    for (int i = 0; i < K * C * 9; i++) w[i] = value(i, 2);
    uint64_t px, pw, py, workspace = 0;
    CU(cuMemAlloc_v2, &px, sizeof x);
    CU(cuMemAlloc_v2, &pw, sizeof w);
    CU(cuMemAlloc_v2, &py, sizeof y);
    if (space) CU(cuMemAlloc_v2, &workspace, space);
    CU(cuMemcpyHtoD_v2, px, x, sizeof x);
    CU(cuMemcpyHtoD_v2, pw, w, sizeof w);
    CU(cuMemsetD8_v2, py, 0xFF, sizeof y);
    float one = 1, zero = 0;
    DNN(cudnnConvolutionForward, handle, &one, dx, (void *)px, dw, (void *)pw, conv, algorithm, (void *)workspace, space, &zero, dy, (void *)py);
    CU(cuCtxSynchronize);
    CU(cuMemcpyDtoH_v2, y, py, sizeof y);
    int wrong = 0;
    for (int k = 0; k < K; k++) for (int p = 0; p < H; p++) for (int q = 0; q < W; q++) {
        float sum = 0;
        for (int c = 0; c < C; c++) for (int r = 0; r < 3; r++) for (int s = 0; s < 3; s++) {
            int i = p + r - 1, j = q + s - 1;
            if (i >= 0 && j >= 0 && i < H && j < W) sum += x[(c * H + i) * W + j] * w[(k * C + c) * 9 + r * 3 + s];
        }
        if (!(y[(k * H + p) * W + q] == sum)) wrong++;
    }
    DNN(cudnnDestroy, handle);
    stage("convolution");
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("version %zu, algorithm %d, %d wrong, %.1f ms, %ld KiB\n", version, algorithm, wrong, now() - start, usage.ru_maxrss);
    fflush(stdout);
    _exit(wrong ? 1 : 0);
}
