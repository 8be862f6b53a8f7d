/* Ways to die that Windows doesn't have. No test asks for them there. */
#include <dlfcn.h>

#define SIGBUS 7
#define SIGKILL 9
#define RLIMIT_AS 9
struct rlimit { long rlim_cur, rlim_max; };
#define setrlimit(what, limit) 0
#define getrlimit(what, limit) 0
#define fork() 1
#define setsid() 0
#define sleep(seconds) Sleep(1000 * (seconds))
