/* What a fake driver says, read from the file "facts" beside the library that asks.
 *
 * Lines "key=value". A call named in "hang" never returns, one in "crash" ends the process, and
 * "code.NAME" is what the call NAME answers instead of doing its work. A call in "absent" is one
 * that this driver doesn't have (it answers 13, as nvidia-ml-py says for a missing symbol).
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char facts[1 << 16];

static void read_facts(void) {
    Dl_info me;
    char path[4096];
    if (facts[0] || !dladdr((void *)read_facts, &me)) return;
    snprintf(path, sizeof path, "%s", me.dli_fname);
    char *slash = strrchr(path, '/');
    snprintf(slash ? slash + 1 : path, 16, "facts");
    FILE *file = fopen(path, "r");
    facts[0] = '\n';
    if (file) {
        size_t length = fread(facts + 1, 1, sizeof facts - 2, file);
        facts[length + 1] = 0;
        fclose(file);
    }
}

static int fact(const char *key, char *value, size_t size) {
    char wanted[128];
    read_facts();
    snprintf(wanted, sizeof wanted, "\n%s=", key);
    const char *at = strstr(facts, wanted);
    if (!at) return 0;
    at += strlen(wanted);
    size_t length = strcspn(at, "\n");
    if (length >= size) length = size - 1;
    memcpy(value, at, length);
    value[length] = 0;
    return 1;
}

static long long number(const char *key, long long otherwise) {
    char value[64];
    return fact(key, value, sizeof value) ? strtoll(value, NULL, 0) : otherwise;
}

static long long of_gpu(int gpu, const char *key, long long otherwise) {
    char name[128];
    snprintf(name, sizeof name, "gpu.%d.%s", gpu, key);
    return number(name, otherwise);
}

static int text_of_gpu(int gpu, const char *key, char *value, size_t size) {
    char name[128];
    snprintf(name, sizeof name, "gpu.%d.%s", gpu, key);
    return fact(name, value, size);
}

static int listed(const char *key, const char *call) {
    char value[512], *rest = NULL;
    if (!fact(key, value, sizeof value)) return 0;
    for (char *one = strtok_r(value, ",", &rest); one; one = strtok_r(NULL, ",", &rest))
        if (strcmp(one, call) == 0) return 1;
    return 0;
}

static int enter(const char *call) {
    char key[128];
    if (listed("hang", call)) for (;;) pause();
    if (listed("crash", call)) abort();
    if (listed("absent", call)) return 13;
    snprintf(key, sizeof key, "code.%s", call);
    return (int)number(key, 0);
}

#define ENTER() do { int code_ = enter(__func__); if (code_) return code_; } while (0)
