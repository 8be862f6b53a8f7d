/* Windows knows no such question; the stub's behaviour "gain" isn't used there. */
#define PR_GET_NO_NEW_PRIVS 39
#define prctl(...) 0
