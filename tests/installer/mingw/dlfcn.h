/* What tests/lab's stubs take from Linux, for Windows' compiler. */
#include <windows.h>
#include <string.h>

typedef struct { const char *dli_fname; } Dl_info;

static int dladdr(const void *address, Dl_info *found) {
    static char path[MAX_PATH];
    HMODULE module;
    DWORD how = GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT;
    if (!GetModuleHandleExA(how, (LPCSTR)address, &module)) return 0;
    GetModuleFileNameA(module, path, sizeof path);
    for (char *at = path; *at; at++) if (*at == '\\') *at = '/';
    found->dli_fname = path;
    return 1;
}

static void pause(void) { Sleep(INFINITE); }

enum { RTLD_NOW, RTLD_NOLOAD };
#define dlopen(path, how) ((void *)GetModuleHandleA(path))
#define dlsym(module, name) ((void *)GetProcAddress((HMODULE)(module), name))
