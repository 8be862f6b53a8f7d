/* PyTorch's library: linked with the cuDNN of its package, as the real one is. */
#include <stddef.h>
size_t cudnnGetVersion(void);
int cudnnOpsVersionCheck(void), cudnnCnnVersionCheck(void), cudnnCreate(void **);
size_t version(void) { return cudnnGetVersion(); }
int start(void) {
    void *handle;
    return cudnnOpsVersionCheck() || cudnnCnnVersionCheck() || cudnnCreate(&handle);
}
