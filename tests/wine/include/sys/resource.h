/* Days of the stub that Windows doesn't have: they do nothing there. */
#pragma once
#include <windows.h>

#define RLIMIT_AS 0
#define SIGBUS 7
#define SIGKILL 9
#define fork() 1
#ifndef pause
#define pause() Sleep(INFINITE)
#endif

struct rlimit { unsigned long now, most; };
static int setrlimit(int what, const struct rlimit *limit) { return 0; }
