/* A cuDNN that really convolves, on the processor, over the memory of a stub driver.
 *
 * Compiled with -DMAJOR=7, 8 or 9 into libcudnn.so.MAJOR. It keeps the rules that the test relies
 * on: descriptors hold what was set, the filter takes the type before the layout, the output's
 * size is computed, alpha and beta are host floats, DEFAULT_MATH rounds fp32 inputs to TF32.
 * The environment chooses its day, or a file /etc/stub/NAME:
 *
 *   STUB_CUDNN_VERSION   number of cudnnGetVersion (70605, 80907, 91002)
 *   STUB_CUDNN_DAY       when:what  where `when` is a function's name or "init" (a constructor),
 *                        and `what` a status number, or abort, bus, segv, ill, kill, hang, exit,
 *                        eat (takes memory until there is none and dies of it),
 *                        babble (prints junk without end), deaf (hangs and ignores signals),
 *                        sessions (leaves a hundred processes, each in a session of its own, and
 *                        goes on), bare (one, with another environment), greedy (takes 3 GB and
 *                        goes on), gain (exits with 7 if it may gain rights, else with 6),
 *                        orphan (leaves a process behind and hangs), fault (wrong numbers),
 *                        nothing (says yes and does nothing), nan
 *   STUB_CUDNN_REACHED   a file that is made when that day comes
 *
 * With -DJIT the legacy convolution answers 3009, as in cuDNN JIT; its graph calls work.
 * With -DPARTS='"9.10.2"' it is a dispatcher of that version: it opens its parts (compiled with
 * -DPART and the same -DPARTS) by name as 9.1 to 9.14 were seen to do, and ends the process with
 * their words where one is missing, or of another version so that the loader refuses it.
 */
#ifdef PART
const char cudnn_part_of[] = PARTS;
#ifdef GRAPH /* the name of a symbol that only the graph library of this version has */
int GRAPH = 1;
#else
extern int ASKS;
void *cudnn_asks_for = &ASKS;
#endif
#else
#define _GNU_SOURCE
#ifndef VERSION
#define VERSION (MAJOR == 7 ? 7605 : MAJOR == 8 ? 8907 : 91002)
#endif
#ifndef WHOLE /* a copy that no variable can spoil */
#define WHOLE 0
#endif
#include <math.h>
#include <sys/prctl.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

typedef int Status;
typedef struct { int kind, type, layout, d[4]; } Tensor; /* filters too: k, c, r, s */
typedef struct { int pad[2], stride[2], dilation[2], mode, type, math; } Convolution;
typedef struct {
    int algorithm, status;
    float time;
    size_t memory;
    int determinism, math, reserved[3];
} Algorithm;

static char reason[256];

/* A wish of the environment, or of a file of its name: no setting of the person's then. */
static const char *wish(const char *name) {
    static char text[64];
    const char *set = getenv(name);
    char path[96];
    if (set) return set;
#ifdef _WIN32 /* a program may have been started on another drive */
    snprintf(path, sizeof path, "C:/etc/stub/%s", name);
#else
    snprintf(path, sizeof path, "/etc/stub/%s", name);
#endif
    FILE *file = fopen(path, "r");
    if (!file) return NULL;
    size_t length = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[length] = 0;
    return text;
}

static Status bad(const char *why) {
    snprintf(reason, sizeof reason, "%s", why);
    return MAJOR >= 9 ? 2000 : 3;
}

static int what_day(const char *call, char *what, size_t size) {
    const char *day = WHOLE ? NULL : wish("STUB_CUDNN_DAY");
    size_t length = strlen(call);
    if (!day || strncmp(day, call, length) != 0 || day[length] != ':') return 0;
    snprintf(what, size, "%s", day + length + 1);
    return 1;
}

static Status suffer(const char *call) {
    char what[32];
    if (!what_day(call, what, sizeof what)) return 0;
    if (getenv("STUB_CUDNN_REACHED")) fclose(fopen(getenv("STUB_CUDNN_REACHED"), "w"));
    if (!strcmp(what, "abort")) abort();
    if (!strcmp(what, "bus")) raise(SIGBUS);
    if (!strcmp(what, "segv")) *(volatile int *)8 = 1;
    if (!strcmp(what, "ill")) raise(SIGILL);
    if (!strcmp(what, "kill")) raise(SIGKILL);
    if (!strcmp(what, "hang")) for (;;) pause();
    if (!strcmp(what, "exit")) _exit(0);
    if (!strcmp(what, "eat")) { /* what std::bad_alloc comes to, within a limit of its own */
        struct rlimit limit = {1UL << 30, 1UL << 30};
        setrlimit(RLIMIT_AS, &limit);
        for (char *piece; (piece = malloc(1 << 24));) memset(piece, 1, 1 << 24);
        fprintf(stderr, "terminate called after throwing an instance of 'std::bad_alloc'\n");
        abort();
    }
    if (!strcmp(what, "deaf")) {
        for (int i = 1; i < 65; i++) signal(i, SIG_IGN);
        for (;;) pause();
    }
    if (!strcmp(what, "orphan")) {
        if (fork() == 0) for (;;) pause();
        for (;;) pause();
    }
    if (!strcmp(what, "sessions")) {
        for (int i = 0; i < 100; i++)
            if (fork() == 0) { setsid(); if (fork() == 0) for (;;) pause(); _exit(0); }
        return 0;
    }
    if (!strcmp(what, "bare")) {
        char *words[] = {"sleep", "4711", NULL}, *nothing[] = {NULL};
        if (fork() == 0) { setsid(); if (fork() == 0) execve("/bin/sleep", words, nothing); _exit(0); }
        for (;;) pause();
    }
    if (!strcmp(what, "greedy")) {
        for (int i = 0; i < 48; i++) { memset(malloc(1 << 26), 1, 1 << 26); usleep(20000); }
        return 0;
    }
    if (!strcmp(what, "gain")) _exit(prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) ? 6 : 7);
    if (!strcmp(what, "babble")) {
        for (int i = 0; i < 65536; i++) printf("{\"status\": \"ok\"} \xff\xfe %d\n", i);
        fflush(stdout);
        _exit(0);
    }
    if (!strcmp(what, "garbage")) { /* into every pipe it can find, the answer's too */
        for (int fd = 3; fd < 64; fd++)
            if (write(fd, "\x00\xffnot json\n[1, 2]\n\"x\"\n", 23) < 0) continue;
        _exit(0);
    }
    if (*what >= '0' && *what <= '9') {
        snprintf(reason, sizeof reason, "the stub was told to");
        return atoi(what);
    }
    return 0;
}
#define DAY(name) do { Status day = suffer(name); if (day) return day; } while (0)

__attribute__((constructor)) static void born(void) { suffer("init"); }

#ifdef PARTS
#include <dlfcn.h>
static const char *part(const char *name, const char *call) {
    const char *version = NULL, *endings[] = {PARTS, "9", NULL};
    for (int i = 0; i < 2 && !version; i++) {
        char file[96];
        snprintf(file, sizeof file, "libcudnn_%s.so.%s", name, endings[i]);
        void *found = dlopen(file, RTLD_NOW);
        version = found ? dlsym(found, "cudnn_part_of") : NULL;
    }
    if (version) return version;
    fprintf(stderr, "Unable to load any of {libcudnn_%s.so." PARTS ", libcudnn_%s.so.9, libcudnn_%s.so}\n"
                    "Invalid handle. Cannot load symbol %s\n", name, name, name, call);
    abort();
}
static size_t version_of(const char *text) {
    int major, minor, patch;
    sscanf(text, "%d.%d.%d", &major, &minor, &patch);
    return (size_t)(major * 10000 + minor * 100 + patch);
}
#define NEEDS(name) part(name, __func__)
#else
#define NEEDS(name) ((void)0)
#endif

size_t cudnnGetVersion(void) {
    const char *text = WHOLE ? NULL : wish("STUB_CUDNN_VERSION");
    suffer("cudnnGetVersion");
#ifdef PARTS
    return version_of(NEEDS("graph"));
#endif
    return text ? (size_t)atoll(text) : VERSION;
}
size_t cudnnGetCudartVersion(void) { return MAJOR == 7 ? 10020 : 12090; }
#if MAJOR >= 9
void cudnnGetLastErrorString(char *text, size_t size) {
    snprintf(text, size, "%s", reason);
    reason[0] = 0;
}
Status cudnnGraphVersionCheck(void) { DAY("cudnnGraphVersionCheck"); NEEDS("graph"); return 0; }
Status cudnnOpsVersionCheck(void) { DAY("cudnnOpsVersionCheck"); NEEDS("ops"); return 0; }
Status cudnnCnnVersionCheck(void) { DAY("cudnnCnnVersionCheck"); NEEDS("cnn"); return 0; }
Status cudnnAdvVersionCheck(void) { DAY("cudnnAdvVersionCheck"); NEEDS("adv"); return 0; }
#elif MAJOR == 8
Status cudnnOpsInferVersionCheck(void) { DAY("cudnnOpsInferVersionCheck"); return 0; }
Status cudnnOpsTrainVersionCheck(void) { DAY("cudnnOpsTrainVersionCheck"); return 0; }
Status cudnnCnnInferVersionCheck(void) { DAY("cudnnCnnInferVersionCheck"); return 0; }
Status cudnnCnnTrainVersionCheck(void) { DAY("cudnnCnnTrainVersionCheck"); return 0; }
Status cudnnAdvInferVersionCheck(void) { DAY("cudnnAdvInferVersionCheck"); return 0; }
Status cudnnAdvTrainVersionCheck(void) { DAY("cudnnAdvTrainVersionCheck"); return 0; }
#endif

#ifdef OLDEST /* compute capability of the oldest GPU that this cuDNN has code for */
#include <dlfcn.h>
static int too_old(void) {
    void *cuda = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD), *context = NULL;
    if (!cuda) return 0;
    ((int (*)(void **))dlsym(cuda, "cuCtxGetCurrent"))(&context);
    int (*ask)(int *, int, int) = dlsym(cuda, "cuDeviceGetAttribute"), major = 9, minor = 0;
    ask(&major, 75, (int)(intptr_t)context - 1);
    ask(&minor, 76, (int)(intptr_t)context - 1);
    return 10 * major + minor < OLDEST;
}
#else
static int too_old(void) { return 0; }
#endif

Status cudnnCreate(void **handle) {
    DAY("cudnnCreate");
    if (too_old()) return 3008;
#ifdef PARTS
    if (strcmp(NEEDS("graph"), PARTS)) {
        fprintf(stderr, "Could not load symbol cudnnGetLibConfig. Error: libcudnn_graph.so.9: undefined symbol: cudnnGetLibConfig\n");
        abort();
    }
#endif
    *handle = calloc(1, 64);
    return 0;
}
Status cudnnDestroy(void *handle) { DAY("cudnnDestroy"); free(handle); return 0; }
static Status make(void **out, size_t size) { *out = calloc(1, size); return 0; }
Status cudnnCreateTensorDescriptor(void **out) { return make(out, sizeof(Tensor)); }
Status cudnnCreateFilterDescriptor(void **out) { return make(out, sizeof(Tensor)); }
Status cudnnCreateConvolutionDescriptor(void **out) { return make(out, sizeof(Convolution)); }
Status cudnnDestroyTensorDescriptor(void *d) { free(d); return 0; }
Status cudnnDestroyFilterDescriptor(void *d) { free(d); return 0; }
Status cudnnDestroyConvolutionDescriptor(void *d) { free(d); return 0; }

static Status set(Tensor *t, int kind, int type, int layout, int a, int b, int c, int d) {
    if (layout < 0 || layout > 1) return bad("layout");
    if (type != 0 && type != 2 && !(type == 9 && MAJOR >= 8)) return bad("data type");
    if (a < 1 || b < 1 || c < 1 || d < 1) return bad("dimensions");
    *t = (Tensor){kind, type, layout, {a, b, c, d}};
    return 0;
}
Status cudnnSetTensor4dDescriptor(Tensor *t, int layout, int type, int n, int c, int h, int w) {
    DAY("cudnnSetTensor4dDescriptor");
    return set(t, 1, type, layout, n, c, h, w);
}
Status cudnnSetFilter4dDescriptor(Tensor *t, int type, int layout, int k, int c, int h, int w) {
    return set(t, 2, type, layout, k, c, h, w);
}
Status cudnnSetConvolution2dDescriptor(Convolution *v, int ph, int pw, int u, int s, int dh, int dw, int mode, int type) {
    if (mode != 1 || type != 0) return bad("mode or type");
    *v = (Convolution){{ph, pw}, {u, s}, {dh, dw}, mode, type, 0};
    return 0;
}
Status cudnnSetConvolutionMathType(Convolution *v, int math) {
    if (math < 0 || math > (MAJOR >= 8 ? 3 : 2)) return bad("math type");
    v->math = math;
    return 0;
}
Status cudnnGetConvolution2dForwardOutputDim(Convolution *v, Tensor *x, Tensor *w, int *n, int *c, int *h, int *q) {
    if (x->d[1] != w->d[1]) return bad("inputTensorDesc->dimA[1] != filterDesc->dimA[1]");
    *n = x->d[0];
    *c = w->d[0];
    *h = (x->d[2] + 2 * v->pad[0] - w->d[2]) / v->stride[0] + 1;
    *q = (x->d[3] + 2 * v->pad[1] - w->d[3]) / v->stride[1] + 1;
    return 0;
}

/* The list as real ones are: fastest first, an FFT and a greedy one among them, some refused. */
static Status list(const char *call, int wanted, int *count, Algorithm *out) {
    DAY(call);
    const Algorithm rows[] = {
        {5, 0, 0.1f, 1 << 20, 1, 0, {0}}, {1, 0, 0.2f, (size_t)1 << 40, 1, 0, {0}},
        {1, 0, 0.3f, 4096, 1, 0, {0}},    {0, 0, 0.4f, 0, 1, 0, {0}},
        {3, MAJOR >= 9 ? 3000 : 9, -1, 0, 0, 0, {0}},
    };
    for (*count = 0; *count < 5 && *count < wanted; ++*count) out[*count] = rows[*count];
    return 0;
}
#define LIST(name) \
    Status name(void *h, void *a, void *b, void *c, void *d, int wanted, int *count, Algorithm *out) { \
        return list(#name, wanted, count, out); \
    }
LIST(cudnnGetConvolutionForwardAlgorithm_v7)
LIST(cudnnGetConvolutionBackwardDataAlgorithm_v7)
LIST(cudnnGetConvolutionBackwardFilterAlgorithm_v7)
#define SPACE(name) \
    Status name(void *h, void *a, void *b, void *c, void *d, int algorithm, size_t *size) { \
        DAY(#name); \
        *size = algorithm ? 4096 : 0; \
        return 0; \
    }
SPACE(cudnnGetConvolutionForwardWorkspaceSize)
SPACE(cudnnGetConvolutionBackwardDataWorkspaceSize)
SPACE(cudnnGetConvolutionBackwardFilterWorkspaceSize)

/* -- numbers ---------------------------------------------------------------------------------- */

static size_t place(const Tensor *t, int a, int b, int c, int d) {
    const int *s = t->d;
    return t->layout ? (((size_t)a * s[2] + c) * s[3] + d) * s[1] + b
                     : (((size_t)a * s[1] + b) * s[2] + c) * s[3] + d;
}
static float from_bits(uint32_t bits) { float f; memcpy(&f, &bits, 4); return f; }
static uint32_t bits_of(float f) { uint32_t bits; memcpy(&bits, &f, 4); return bits; }

static float get(const Tensor *t, const void *data, int a, int b, int c, int d) {
    size_t at = place(t, a, b, c, d);
    if (t->type == 0) return ((const float *)data)[at];
    if (t->type == 2) return (float)((const _Float16 *)data)[at];
    return from_bits((uint32_t)((const uint16_t *)data)[at] << 16);
}
static void put(const Tensor *t, void *data, int a, int b, int c, int d, float value) {
    size_t at = place(t, a, b, c, d);
    if (t->type == 0) ((float *)data)[at] = value;
    else if (t->type == 2) ((_Float16 *)data)[at] = (_Float16)value;
    else {
        uint32_t bits = bits_of(value);
        ((uint16_t *)data)[at] = (uint16_t)((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16);
    }
}
static float input(const Convolution *v, const Tensor *t, const void *data, int a, int b, int c, int d) {
    float value = get(t, data, a, b, c, d);
    if (t->type == 0 && v->math == 0 && MAJOR >= 8) /* TF32: ten bits of fraction */
        value = from_bits((bits_of(value) + 0x1000) & 0xFFFFE000u);
    return value;
}

typedef struct { const Tensor *x, *w, *y; void *px, *pw, *py; } Operands;

/* The numbers as they are reckoned with, in the order of their dimensions. */
static float *numbers(const Convolution *v, const Tensor *t, const void *data) {
    Tensor flat = *t;
    flat.layout = 0;
    float *all = malloc(sizeof *all * t->d[0] * t->d[1] * t->d[2] * t->d[3]);
    for (int a = 0; a < t->d[0]; a++)
    for (int b = 0; b < t->d[1]; b++)
    for (int c = 0; c < t->d[2]; c++)
    for (int d = 0; d < t->d[3]; d++) all[place(&flat, a, b, c, d)] = input(v, t, data, a, b, c, d);
    return all;
}

static void convolve(const Convolution *v, const Operands *o, int target) {
    const int *y = o->y->d, *w = o->w->d, *x = o->x->d;
    const Tensor *t = target == 'y' ? o->y : target == 'x' ? o->x : o->w;
    void *out = target == 'y' ? o->py : target == 'x' ? o->px : o->pw;
    Tensor flat = *t;
    flat.layout = 0;
    float *sums = calloc((size_t)t->d[0] * t->d[1] * t->d[2] * t->d[3], sizeof *sums);
    float *X = target == 'x' ? sums : numbers(v, o->x, o->px);
    float *W = target == 'w' ? sums : numbers(v, o->w, o->pw);
    float *Y = target == 'y' ? sums : numbers(v, o->y, o->py);
    for (int n = 0; n < y[0]; n++)
    for (int k = 0; k < w[0]; k++)
    for (int c = 0; c < w[1]; c++)
    for (int p = 0; p < y[2]; p++)
    for (int q = 0; q < y[3]; q++) {
        float *to = Y + (((size_t)n * y[1] + k) * y[2] + p) * y[3] + q;
        for (int r = 0; r < w[2]; r++) {
            int i = p * v->stride[0] + r - v->pad[0], j = q * v->stride[1] - v->pad[1];
            if (i < 0 || i >= x[2]) continue;
            float *from = X + (((size_t)n * x[1] + c) * x[2] + i) * x[3];
            float *by = W + (((size_t)k * w[1] + c) * w[2] + r) * w[3];
            for (int s = 0; s < w[3]; s++, j++) {
                if (j < 0 || j >= x[3]) continue;
                if (target == 'y') *to += from[j] * by[s];
                else if (target == 'x') from[j] += *to * by[s];
                else by[s] += *to * from[j];
            }
        }
    }
    for (int a = 0; a < flat.d[0]; a++)
    for (int b = 0; b < flat.d[1]; b++)
    for (int c = 0; c < flat.d[2]; c++)
    for (int d = 0; d < flat.d[3]; d++) put(t, out, a, b, c, d, sums[place(&flat, a, b, c, d)]);
    free(X), free(W), free(Y);
}

/* FFT and Winograd are not exact. */
static void blur(const Tensor *t, void *out) {
    for (int a = 0; a < t->d[0]; a++)
    for (int b = 0; b < t->d[1]; b++)
    for (int c = 0; c < t->d[2]; c++)
    for (int d = 0; d < t->d[3]; d++) put(t, out, a, b, c, d, get(t, out, a, b, c, d) * 1.000002f + 1e-6f);
}

#ifdef JIT
#define NOT_IN_JIT return 3009
#else
#define NOT_IN_JIT
#endif
static Status run(const char *call, const Convolution *v, const Operands *o, int target, int algorithm, const float *alpha, const float *beta) {
    char what[32] = "";
    DAY(call);
    if (*alpha != 1 || *beta != 0) return bad("alpha, beta");
    if (what_day(call, what, sizeof what) && !strcmp(what, "nothing")) return 0;
    convolve(v, o, target);
    if (algorithm > 2) blur(target == 'y' ? o->y : target == 'x' ? o->x : o->w, target == 'y' ? o->py : target == 'x' ? o->px : o->pw);
    const Tensor *t = target == 'y' ? o->y : target == 'x' ? o->x : o->w;
    void *out = target == 'y' ? o->py : target == 'x' ? o->px : o->pw;
    if (!strcmp(what, "fault")) put(t, out, 0, 1, 1, 1, get(t, out, 0, 1, 1, 1) + 1);
    if (!strcmp(what, "nan")) put(t, out, 0, 1, 1, 1, NAN);
    return 0;
}
Status cudnnConvolutionForward(void *h, const float *alpha, Tensor *tx, void *x, Tensor *tw, void *w, Convolution *v, int algorithm, void *space, size_t size, const float *beta, Tensor *ty, void *y) {
    Operands o = {tx, tw, ty, x, w, y};
    NOT_IN_JIT;
    if (algorithm && (!space || size < 4096)) return bad("workspace");
    return run("cudnnConvolutionForward", v, &o, 'y', algorithm, alpha, beta);
}
Status cudnnConvolutionBackwardData(void *h, const float *alpha, Tensor *tw, void *w, Tensor *ty, void *y, Convolution *v, int algorithm, void *space, size_t size, const float *beta, Tensor *tx, void *x) {
    Operands o = {tx, tw, ty, x, w, y};
    return run("cudnnConvolutionBackwardData", v, &o, 'x', algorithm, alpha, beta);
}
Status cudnnConvolutionBackwardFilter(void *h, const float *alpha, Tensor *tx, void *x, Tensor *ty, void *y, Convolution *v, int algorithm, void *space, size_t size, const float *beta, Tensor *tw, void *w) {
    Operands o = {tx, tw, ty, x, w, y};
    return run("cudnnConvolutionBackwardFilter", v, &o, 'w', algorithm == 3 ? 0 : algorithm, alpha, beta);
}

#if MAJOR >= 9
/* -- the graph calls: descriptors are bags of attributes, checked where they are used ---------- */

typedef struct { int name, type; int64_t count; int64_t values[8]; } Attribute;
typedef struct { int kind, done, used, index; Attribute attributes[12]; } Bag;

static Attribute *find(Bag *bag, int name) {
    for (int i = 0; bag && i < bag->used; i++)
        if (bag->attributes[i].name == name) return &bag->attributes[i];
    return NULL;
}
static Bag *inner(Bag *bag, int name) {
    Attribute *a = find(bag, name);
    Bag *found = a && a->type == 15 ? (Bag *)(intptr_t)a->values[0] : NULL;
    return found && found->done ? found : NULL;
}
Status cudnnBackendCreateDescriptor(int kind, Bag **out) {
    DAY("cudnnBackendCreateDescriptor");
    *out = calloc(1, sizeof(Bag));
    (*out)->kind = kind;
    return 0;
}
Status cudnnBackendDestroyDescriptor(Bag *bag) { free(bag); return 0; }
Status cudnnBackendSetAttribute(Bag *bag, int name, int type, int64_t count, const void *values) {
    /* handle, data type, -, int64, float, -, pointer, mode, heuristic; 15 descriptor */
    const int sizes[] = {8, 4, 1, 8, 4, 8, 8, 4, 4, 4, 4, 4, 4, 4, 4, 8};
    if (bag->done) return 2004;
    if (type < 0 || type > 15 || count > 8) return 2010;
    Attribute *a = &bag->attributes[bag->used++];
    *a = (Attribute){name, type, count};
    for (int i = 0; i < count; i++) memcpy(&a->values[i], (const char *)values + i * sizes[type], sizes[type]);
    return 0;
}
Status cudnnBackendFinalize(Bag *bag) {
    DAY("cudnnBackendFinalize");
    const int needs[][8] = {
        [1] = {100, 101, 102, 103, 104, 105, 106}, [4] = {200, 201}, [5] = {400, 401},
        [10] = {700, 701, 702, 703, 704, 705}, [15] = {800, 801}, [16] = {1000, 1001, 1003},
        [17] = {900, 901, 902, 903, 906},
    };
    for (int i = 0; i < 8 && needs[bag->kind][i]; i++)
        if (!find(bag, needs[bag->kind][i])) return 2004;
    if (bag->kind == 4 && find(bag, 200)->values[0] == 3) return 3000; /* no heuristics here */
    if (bag->kind == 5) {
        Attribute *config = find(bag, 401);
        if (((Bag *)(intptr_t)config->values[0])->index != 2) return 3000; /* only the second will do */
    }
    bag->done = 1;
    return 0;
}
Status cudnnBackendGetAttribute(Bag *bag, int name, int type, int64_t wanted, int64_t *count, void *out) {
    if (!bag->done) return 2004;
    if (bag->kind == 4 && name == 202) {
        Bag **configs = out;
        *count = 3;
        for (int i = 0; i < 3; i++) {
            configs[i]->index = i + 1;
            configs[i]->attributes[0] = *find(bag, 201);
            configs[i]->used = configs[i]->done = 1;
        }
        return 0;
    }
    if (bag->kind == 5 && name == 402) { *count = 1; *(int64_t *)out = 4096; return 0; }
    return 2000;
}
static int tensor_of(Bag *bag, Tensor *t, int64_t *id) {
    if (!bag) return 0;
    int64_t *d = find(bag, 902)->values, *s = find(bag, 903)->values;
    *id = find(bag, 906)->values[0];
    *t = (Tensor){1, (int)find(bag, 901)->values[0], 1, {(int)d[0], (int)d[1], (int)d[2], (int)d[3]}};
    return s[0] == d[1] * d[2] * d[3] && s[1] == 1 && s[2] == d[1] * d[3] && s[3] == d[1];
}
Status cudnnBackendExecute(void *handle, Bag *plan, Bag *pack) {
    DAY("cudnnBackendExecute");
    Bag *graph = inner(inner(plan, 401), 201), *operation = inner(graph, 801), *bag = inner(operation, 702);
    Tensor x, w, y;
    int64_t ids[3];
    if (!operation || !bag || !pack->done || !find(pack, 1003)->values[0]) return 2000;
    if (!tensor_of(inner(operation, 704), &x, &ids[0])) return 2008;
    if (!tensor_of(inner(operation, 703), &w, &ids[1])) return 2008;
    if (!tensor_of(inner(operation, 705), &y, &ids[2])) return 2008;
    void *data[3] = {0};
    Attribute *names = find(pack, 1000), *pointers = find(pack, 1001);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < names->count; j++)
            if (names->values[j] == ids[i]) data[i] = (void *)(intptr_t)pointers->values[j];
    Convolution v = {.pad = {1, 1}, .stride = {1, 1}, .dilation = {1, 1}, .mode = 1};
    v.pad[0] = (int)find(bag, 105)->values[0];
    v.stride[0] = (int)find(bag, 103)->values[0];
    Operands o = {&x, &w, &y, data[0], data[1], data[2]};
    const float one = 1, zero = 0;
    return run("cudnnBackendExecute", &v, &o, 'y', 0, &one, &zero);
}
#endif
#endif
