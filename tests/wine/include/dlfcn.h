/* What the stubs of the lab ask of dlfcn.h, by Windows' own calls. */
#pragma once
#include <windows.h>
#include <string.h>

#define RTLD_NOW 0
#define RTLD_NOLOAD 0
#define pause() Sleep(INFINITE)
#define strtok_r cut

typedef struct { const char *dli_fname; } Dl_info;

static int dladdr(void *address, Dl_info *info) {
    static char path[4096];
    HMODULE module; /* 6: by address, and the count of its users stays */
    if (!GetModuleHandleExA(6, (LPCSTR)address, &module)) return 0;
    GetModuleFileNameA(module, path, sizeof path);
    for (char *at = path; *at; at++)
        if (*at == '\\') *at = '/';
    info->dli_fname = path;
    return 1;
}

static void *dlopen(const char *name, int how) { return LoadLibraryA(name); }
static void *dlsym(void *library, const char *name) { return (void *)GetProcAddress(library, name); }

static char *cut(char *text, const char *at, char **rest) {
    char *start = text ? text : *rest;
    start += strspn(start, at);
    if (!*start) return NULL;
    *rest = start + strcspn(start, at);
    if (**rest) *(*rest)++ = 0;
    return start;
}
